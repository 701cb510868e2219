// Package controllers brings Kafka to what the resources ask for. Each reconciler gathers facts, lets
// internal/decide make the plan, takes its steps, and reports once. It may import the API package,
// internal/decide and internal/kafka; nothing imports it but main and the tests.
package controllers

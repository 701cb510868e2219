// Package decide holds the decisions of the operator: whether a dedup window may be set, what has to
// be done to a topic, who owns it, what a Kafka cluster can do. Facts go in; an ordered plan, reasons
// and messages for people come out. It may import the API package and nothing else of this module:
// no I/O, no clock, no state, so that plan, tests and status all rest on the same functions.
package decide

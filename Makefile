# What developers and CI run; `make` lists it. Tools are pinned in hack/tools/go.mod and built from Go
# modules, so that nothing but Go (and a JDK with Maven for real Kafka) has to be installed.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The image that is built and deployed.
IMG ?= kafka-dedup-operator:latest
KUBECTL ?= kubectl
CONTAINER_TOOL ?= docker
TESTFLAGS ?=
KAFKA_VERSION ?= 4.4.0
BROKERS ?= 1

TOOL := go tool -modfile=hack/tools/go.mod
LINT := bin/golangci-lint
GENERATED := api/v1alpha1/zz_generated.deepcopy.go config/crd/bases config/rbac/role.yaml docs/kafkacluster.md docs/topic.md

##@ Getting to know it

.PHONY: help
help: ## List all targets with what they do.
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Show the operator at work on this machine, with nothing set up before (the first time takes some minutes more).
	go run ./hack/demo

##@ Development

.PHONY: build
build: ## Build the operator into bin/manager.
	CGO_ENABLED=0 go build -trimpath -o bin/manager .

.PHONY: generate
generate: ## Generate deep copies, CRDs, the ClusterRole and the tables in docs/ from the Go code.
	$(TOOL) controller-gen object crd paths=./api/... output:crd:dir=config/crd/bases
	$(TOOL) controller-gen rbac:roleName=kafka-dedup-operator-manager paths=./controllers/... output:rbac:dir=config/rbac
	go run ./hack/docs

.PHONY: manifests
manifests: generate ## The same as generate, under the name that kubebuilder users know.

.PHONY: check-generated
check-generated: ## Fail when what is generated is not up to date; it is then, so commit it.
	@before="$$(mktemp -d)"; trap 'rm -rf "$$before"' EXIT; \
	tar -cf - $(GENERATED) | tar -xf - -C "$$before"; \
	$(MAKE) --no-print-directory generate; \
	for path in $(GENERATED); do \
	  diff -ru "$$before/$$path" "$$path" || { echo "$$path was stale and has been generated anew: commit it."; exit 1; }; \
	done

.PHONY: fmt
fmt: $(LINT) ## Format the Go code.
	$(LINT) fmt

.PHONY: vet
vet: ## Run go vet.
	go vet ./...

.PHONY: lint
lint: $(LINT) ## Run the linters of .golangci.yml (the first time builds them, in some 5 minutes on 2 cores).
	$(LINT) run ./...

##@ Tests

.PHONY: test
test: check-generated vet lint ## Check everything: generated files, vet, linters, unit tests, and e2e tests on a real API server and Kafka.
	@echo "Running all Go tests. Usual are some minutes on 2 cores; the first time builds a Kubernetes API"
	@echo "server and fetches Kafka, in some 15 minutes more. Both are kept in the user's cache folder."
	@echo "Ends after 30 minutes a package at the latest; nothing is left running."
	go test -race -timeout 30m $(TESTFLAGS) ./...

.PHONY: kube
kube: ## Start a real Kubernetes API server with nothing in it, for trying things out, until Ctrl-C.
	go run ./hack/testbed/cmd/testbed kubernetes

.PHONY: kafka
kafka: ## Start a real Kafka for trying things out, until Ctrl-C: KAFKA_VERSION and BROKERS choose which.
	go run ./hack/testbed/cmd/testbed kafka --version $(KAFKA_VERSION) --brokers $(BROKERS)

.PHONY: assets
assets: ## Build the Kubernetes API server and fetch Kafka now, so that tests and demo don't have to.
	go run ./hack/testbed/cmd/testbed assets

.PHONY: assets-download
assets-download: ## Download the Kubernetes API server instead of building it.
	go run ./hack/testbed/cmd/testbed assets-download

##@ Deployment

.PHONY: install
install: ## Install the kinds and the admission policy into the current cluster of kubectl.
	$(TOOL) kustomize build config/crd | $(KUBECTL) apply --server-side -f -
	$(TOOL) kustomize build config/admission | $(KUBECTL) apply --server-side -f -

.PHONY: uninstall
uninstall: ## Remove ALL Topics and KafkaClusters, then the kinds and the admission policy, while the operator runs; Kafka topics stay unless their deletionPolicy is Delete.
	@for kind in topics kafkaclusters; do \
	  if [ -n "$$($(KUBECTL) get crd $$kind.kafka-dedup.dev --ignore-not-found -o name)" ]; then \
	    $(KUBECTL) delete $$kind.kafka-dedup.dev --all --all-namespaces --timeout=330s || { \
	      echo "These wait for the operator, which deletes their Kafka topics: start it, or set their deletionPolicy to Retain and take their finalizers off."; exit 1; }; \
	  fi; \
	done
	$(TOOL) kustomize build config/admission | $(KUBECTL) delete --ignore-not-found -f -
	$(TOOL) kustomize build config/crd | $(KUBECTL) delete --ignore-not-found -f -

.PHONY: deploy
deploy: dist/install.yaml ## Install everything into the current cluster of kubectl, with the operator from image IMG.
	$(KUBECTL) apply --server-side -f dist/install.yaml

.PHONY: undeploy
undeploy: ## Remove the operator with its namespace, and keep the kinds, KafkaClusters and Topics.
	$(TOOL) kustomize build config/rbac | $(KUBECTL) delete --ignore-not-found -f -
	$(TOOL) kustomize build config/manager | $(KUBECTL) delete --ignore-not-found --wait=false -f -

.PHONY: build-installer
build-installer: dist/install.yaml ## Write everything that an installation needs into dist/install.yaml, with the operator from image IMG.

.PHONY: dist/install.yaml
dist/install.yaml: generate
	@mkdir -p dist
	$(TOOL) kustomize build config/default | sed 's|image: kafka-dedup-operator:latest|image: $(IMG)|' > $@

.PHONY: docker-build
docker-build: ## Build the image IMG.
	$(CONTAINER_TOOL) build -t $(IMG) .

# The linters have a plugin, so that go tool alone can't run them.
$(LINT): hack/tools/go.mod hack/tools/go.sum hack/tools/golangci-lint/main.go
	@echo "Building golangci-lint from hack/tools; this takes some 5 minutes on 2 cores, once."
	go build -C hack/tools -o ../../$@ ./golangci-lint
	@touch $@

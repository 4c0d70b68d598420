"""A cluster, where `make cluster-test` is run with one."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.cluster.installation import Installation, run
from tests.unit.deploy.helm_program import helm

_WANTED = "SPONSORGRAPH_CLUSTER_TEST"


def _missing() -> str:
    if not os.environ.get(_WANTED):
        return "only `make cluster-test` changes a cluster"
    if not os.environ.get("KUBECONFIG"):
        return "KUBECONFIG names no cluster"
    done = subprocess.run(
        ["kubectl", "version", "--request-timeout=10s"],  # noqa: S607 - from the PATH
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return "" if done.returncode == 0 else f"no cluster answers: {done.stderr.strip()[-200:]}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    reason = _missing() if here else ""
    for item in here:
        item.add_marker(pytest.mark.timeout(1_800))
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Generator[Installation]:
    """Engines and Secrets; both namespaces are deleted at the end.

    CLUSTER_TEST_REGISTRY and CLUSTER_TEST_TAG name images that the cluster can pull.
    """
    helm()
    images = {
        "registry": os.environ.get("CLUSTER_TEST_REGISTRY", "sponsorgraph"),
        "tag": os.environ.get("CLUSTER_TEST_TAG", "0.1.0"),
    }
    name = f"sponsorgraph-test-{secrets.token_hex(3)}"
    made = Installation(name, tmp_path_factory.mktemp("cluster"), images)
    try:
        made.prepare()
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="session")
def installed(prepared: Installation) -> Installation:
    prepared.upgrade()
    return prepared


@pytest.fixture(scope="session")
def key(installed: Installation) -> str:
    """The key of the first account."""
    installed.sponsorgraph("account", "create", "ada@example.com", "--plan", "creator_agent")
    made = installed.sponsorgraph("key", "create", "ada@example.com", "--json")
    return str(json.loads(made)["api_key"])


@pytest.fixture(scope="session")
def schedulable_nodes(installed: Installation) -> list[str]:
    del installed
    found = run(
        "kubectl", "get", "node", "--field-selector=spec.unschedulable=false",
        "-o", "jsonpath={.items[*].metadata.name}",
    )  # fmt: skip
    return found.split()

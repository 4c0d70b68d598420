"""The chart on a cluster, in the order of an operator's day: `make cluster-test`."""

from __future__ import annotations

import os
import re

import pytest

from tests.cluster.installation import PROCESSES, Installation, run
from tests.cluster.programs import LOAD, REACH
from tests.unit.deploy.helm_program import ROOT

_LOAD_SECONDS = 400


def test_it_is_installed_and_all_pods_are_ready(installed: Installation) -> None:
    for name in PROCESSES:
        installed.ready(name)
    for name in ("catalog", "auth", "imports"):
        job = installed.kubectl("get", f"job/migrate-{name}", "-o", "jsonpath={.status.succeeded}")
        assert job == "1"


def test_the_first_account_gets_a_key_and_calls(installed: Installation, key: str) -> None:
    result = installed.call(key)["result"]
    assert not result.get("isError"), result


def test_a_roll_under_load_fails_no_call(installed: Installation, key: str) -> None:
    url = f"http://gateway.{installed.namespace}:8000/mcp"
    installed.start_python("load", installed.edge, LOAD, url, key, str(_LOAD_SECONDS))
    installed.roll()
    results = installed.result_of("load", installed.edge, _LOAD_SECONDS + 120)
    assert set(results) == {"good"}, results


@pytest.mark.parametrize("name", PROCESSES)
def test_a_pod_that_is_deleted_comes_back(name: str, installed: Installation, key: str) -> None:
    selector = f"app.kubernetes.io/name={name}"
    pods = installed.kubectl("get", "pod", "-l", selector, "-o", "name").split()
    installed.kubectl("delete", pods[0])
    installed.ready(name)
    assert "result" in installed.call(key)


def test_a_node_is_drained_and_calls_go_on(
    installed: Installation, key: str, schedulable_nodes: list[str]
) -> None:
    if not os.environ.get("CLUSTER_TEST_DRAIN"):
        pytest.skip("a node of yours is drained with CLUSTER_TEST_DRAIN=1 alone")
    if len(schedulable_nodes) < 2:
        pytest.skip("the cluster has one node for pods")
    node = installed.kubectl(
        "get", "pod", "-l", "app.kubernetes.io/name=gateway",
        "-o", "jsonpath={.items[0].spec.nodeName}",
    )  # fmt: skip
    selector = "app.kubernetes.io/part-of=sponsorgraph"
    try:
        run(
            "kubectl", "drain", node, "--ignore-daemonsets", "--delete-emptydir-data",
            f"--pod-selector={selector}", "--timeout=5m", seconds=330,
        )  # fmt: skip
        assert "result" in installed.call(key)
    finally:
        run("kubectl", "uncordon", node)
    for name in PROCESSES:
        installed.ready(name)


def test_the_policies_hold_where_nothing_must_pass(installed: Installation) -> None:
    inside = f"{installed.namespace}.svc"
    allowed = {f"gateway.{inside}:8000", f"auth-site.{inside}:8001"}
    shut = {
        f"catalog.{inside}:8101", f"auth.{inside}:8102", f"imports.{inside}:8103",
        f"postgres.{inside}:5432", f"valkey.{inside}:6379",
    }  # fmt: skip
    installed.start_python("edge", installed.edge, REACH, *sorted(allowed | shut))
    reached = installed.result_of("edge", installed.edge, 120)
    if all(reached.values()):
        pytest.skip("the cluster's network enforces no policies")
    assert {target for target, open_ in reached.items() if open_} == allowed

    installed.start_python("stranger", installed.namespace, REACH, *sorted(allowed | shut))
    reached = installed.result_of("stranger", installed.namespace, 120)
    assert not any(reached.values()), "a pod without a name of ours reaches somebody"


def test_a_backup_is_restored(installed: Installation, key: str) -> None:
    kubectl = installed.kubectl
    kubectl("create", "job", "--from=cronjob/backup", "backup-now")
    kubectl("wait", "--for=condition=complete", "job/backup-now", "--timeout=15m", seconds=930)
    (name,) = re.findall(r"sponsorgraph-\d+T\d+Z\.tar", kubectl("logs", "job/backup-now"))[:1]
    kubectl("delete", "job", "backup-now")
    installed.sponsorgraph("account", "create", "later@example.com")

    # As on the operators' page.
    kubectl("scale", "deployment", "--all", "--replicas=0")
    page = (ROOT / "docs" / "operations.md").read_text()
    (patch,) = re.findall(r"-p '(\[\{.*?\}\])'", page)
    job = kubectl(
        "create", "job", "restore", "--from=cronjob/backup", "--dry-run=client", "-o", "yaml"
    )
    change = patch.replace("sponsorgraph-….tar", name)
    changed = run(
        "kubectl", "patch", "--local", "-f", "-", "--type", "json", "-o", "yaml", "-p", change,
        text=job,
    )  # fmt: skip
    kubectl("apply", "-f", "-", text=changed)
    kubectl("wait", "--for=condition=complete", "job/restore", "--timeout=15m", seconds=930)
    kubectl("delete", "job", "restore")
    kubectl("scale", "deployment", "--all", "--replicas=2")
    for process in PROCESSES:
        installed.ready(process)

    accounts = installed.sponsorgraph("account", "list")
    assert "ada@example.com" in accounts
    assert "later@example.com" not in accounts
    assert "result" in installed.call(key)


def test_it_is_uninstalled_and_leaves_its_backups_alone(installed: Installation) -> None:
    installed.helm("uninstall", "--wait", "--timeout=5m")
    left = installed.kubectl(
        "get", "all,configmap,networkpolicy,pdb,hpa,pvc",
        "-l", "app.kubernetes.io/managed-by=Helm", "-o", "name",
    )  # fmt: skip
    jobs = {f"job.batch/migrate-{name}" for name in ("catalog", "auth", "imports")}
    assert set(left.split()) - jobs == {"persistentvolumeclaim/backups"}

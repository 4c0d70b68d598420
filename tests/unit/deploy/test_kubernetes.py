"""deploy/kubernetes as kustomize builds it, held against Kubernetes' schemas and our own code."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import kubernetes_validate.utils
import pytest
import yaml
from pydantic import SecretStr

from auth_service.settings import AuthSettings
from catalog_service.settings import CatalogSettings
from devstack.peers import CALLERS
from devstack.settings import BackupSettings
from gateway.settings import GatewaySettings
from import_worker.settings import ImportSettings
from servicekit.grpc import client as grpc_client
from servicekit.settings import GrpcServerSettings, ServiceSettings

Document = dict[str, Any]

ROOT: Final = Path(__file__).parents[3] / "deploy" / "kubernetes"
BUILDS: Final = {
    "base": ROOT / "base",
    "local": ROOT / "overlays" / "local",
    "production": ROOT / "overlays" / "production",
}
OVERLAYS: Final = ("local", "production")
NAME: Final = "app.kubernetes.io/name"
OTHERS_KINDS: Final = {
    "ServiceMonitor": "monitoring.coreos.com/v1",
    "PodMonitor": "monitoring.coreos.com/v1",
    "Issuer": "cert-manager.io/v1",
    "Certificate": "cert-manager.io/v1",
}
"""Of the Prometheus Operator and of cert-manager; the schemas of Kubernetes do not have them."""
CALLS: Final = {
    ("gateway", "catalog"),
    ("gateway", "auth"),
    ("gateway", "imports"),
    ("auth", "imports"),
    ("auth", "catalog"),
    ("imports-work", "catalog"),
}
"""The processes that each process calls."""
HTTP_CALLS: Final = {("auth", "gateway")}
"""Calls by HTTP: the site's pages with data."""
NAMESPACE_LABELS: Final = (
    {"sponsorgraph/role": "edge"},
    {"sponsorgraph/role": "monitoring"},
    {"kubernetes.io/metadata.name": "kube-system"},
)

_validate: Any = kubernetes_validate
_schemas: Any = kubernetes_validate.utils
SCHEMA: Final = cache(_schemas.schema_contents)
VERSIONS: Final[list[str]] = list(dict.fromkeys(_schemas.all_versions()))[-3:]


@dataclass(frozen=True)
class Process:
    """The facts of the code about one Deployment."""

    settings: type[ServiceSettings]
    image: str
    command: list[str]
    ports: Mapping[str, str]
    """Name of the container's port: the settings' field that gives its number."""
    servers: int = 1
    """Servers that are stopped one after the other, each with the settings' grace."""
    targets: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        return str(self.settings.model_config.get("env_prefix"))


PROCESSES: Final = {
    "gateway": Process(
        GatewaySettings,
        "gateway",
        ["gateway"],
        {"http": "port"},
        targets=("catalog_target", "auth_target", "imports_target"),
    ),
    "catalog": Process(
        CatalogSettings,
        "catalog",
        ["catalog_service"],
        {"grpc": "grpc_port", "metrics": "metrics_port"},
    ),
    "auth": Process(
        AuthSettings,
        "auth",
        ["auth_service"],
        {"grpc": "grpc_port", "http": "http_port", "metrics": "metrics_port"},
        servers=2,
        targets=("imports_target", "catalog_target"),
    ),
    "imports": Process(
        ImportSettings,
        "imports",
        ["import_worker", "serve"],
        {"grpc": "grpc_port", "metrics": "metrics_port"},
    ),
    "imports-work": Process(
        ImportSettings,
        "imports",
        ["import_worker", "work"],
        {"metrics": "metrics_port"},
        targets=("catalog_target",),
    ),
}
IMAGES: Final = {f"sponsorgraph/{process.image}" for process in PROCESSES.values()} | {
    "sponsorgraph/cli"
}
PROBES: Final = {
    "gateway": {"/healthz", "/healthz/serving"},
    "auth": {"/healthz"},
    "imports-work": {"/metrics"},
}
HOSTS: Final = {"host", "grpc_host", "http_host"}


@dataclass(frozen=True)
class Build:
    """The documents of one kustomization."""

    name: str
    documents: list[Document]

    def of(self, *kinds: str) -> dict[str, Document]:
        """The documents of these kinds by name."""
        found = [document for document in self.documents if document["kind"] in kinds]
        return {item["metadata"]["name"]: item for item in found}

    def pods(self) -> dict[str, Document]:
        """The pod templates, by kind and name."""
        found = {
            f"{document['kind']}/{document['metadata']['name']}": template
            for document in self.documents
            if (template := template_of(document)) is not None
        }
        assert found
        return found

    def environment(self, deployment: str) -> dict[str, str]:
        """Return the environment of a Deployment's process; of an operator's secrets, the examples."""
        container = container_of(self.of("Deployment")[deployment])
        return self._environment_of(container)

    def job_environment(self, job: str) -> dict[str, str]:
        """Return the environment of a migration."""
        return self._environment_of(container_of(self.of("Job")[job]))

    def _environment_of(self, container: Document) -> dict[str, str]:
        environment: dict[str, str] = {}
        for source in container["envFrom"]:
            if "configMapRef" in source:
                environment |= self.of("ConfigMap")[source["configMapRef"]["name"]]["data"]
            else:
                environment |= self.secret(source["secretRef"]["name"])
        assert "env" not in container
        return environment

    def secret(self, name: str) -> dict[str, str]:
        """A Secret's values by key."""
        made = self.of("Secret").get(name)
        if made is not None:
            encoded: dict[str, str] = made["data"]
            return {key: base64.b64decode(value).decode() for key, value in encoded.items()}
        lines = (BUILDS[self.name] / "secrets" / f"{name}.example.env").read_text().splitlines()
        pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
        return {key: value for key, _, value in pairs}


@cache
def build(name: str) -> Build:
    """The kustomization's documents; skips where there is nothing to build it with."""
    if shutil.which("kubectl"):
        command = ["kubectl", "kustomize"]
    elif shutil.which("kustomize"):
        command = ["kustomize", "build"]
    else:
        pytest.skip("neither kubectl nor kustomize is on PATH")
    done = subprocess.run(
        [*command, str(BUILDS[name])], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr  # deprecated fields
    return Build(name, [item for item in yaml.safe_load_all(done.stdout) if item])


@pytest.fixture(params=BUILDS)
def built(request: pytest.FixtureRequest) -> Build:
    return build(request.param)


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> Build:
    return build(request.param)


def template_of(document: Document) -> Document | None:
    spec: Any = document.get("spec", {})
    if document["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    template: Document | None = spec.get("template")
    return template


def container_of(document: Document) -> Document:
    template = template_of(document)
    assert template is not None
    (container,) = template["spec"]["containers"]
    return container


def labels_of(template: Document) -> dict[str, str]:
    return template["metadata"]["labels"]


def selects(selector: Document, labels: Mapping[str, str]) -> bool:
    """Kubernetes' label selectors, as far as they are used here."""
    assert set(selector) <= {"matchLabels", "matchExpressions"}
    wanted: dict[str, str] = selector.get("matchLabels", {})
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    expressions: list[Document] = selector.get("matchExpressions", [])
    assert all(expression["operator"] == "In" for expression in expressions)
    return all(labels.get(expression["key"]) in expression["values"] for expression in expressions)


def named_values(selector: Document) -> set[str]:
    """The workloads that a selector names."""
    names = {value for key, value in selector.get("matchLabels", {}).items() if key == NAME}
    for matchexpression in selector.get("matchExpressions", []):
        names |= set(matchexpression["values"])
    return names


def nodes(value: Any) -> Iterator[Document]:
    """All mappings inside a document."""
    if isinstance(value, dict):
        mapping: Document = value  # pyright: ignore[reportUnknownVariableType]
        yield mapping
        for item in mapping.values():
            yield from nodes(item)
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from nodes(item)


# Schemas and the standard


@pytest.mark.parametrize("version", VERSIONS)
def test_every_document_keeps_to_the_schema(
    built: Build, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would read the same megabytes again for each document.
    monkeypatch.setattr(_schemas, "schema_contents", SCHEMA)
    for document in built.documents:
        if document["kind"] in OTHERS_KINDS:
            assert document["apiVersion"] == OTHERS_KINDS[document["kind"]]
            continue
        _validate.validate(document, version, strict=True)


def test_no_name_is_given_twice(built: Build) -> None:
    names = [(document["kind"], document["metadata"]["name"]) for document in built.documents]
    assert len(names) == len(set(names))


def test_all_is_in_one_namespace_that_demands_the_restricted_standard(built: Build) -> None:
    (namespace,) = built.of("Namespace").values()
    labels = namespace["metadata"]["labels"]
    modes = ("enforce", "audit", "warn")
    assert {labels[f"pod-security.kubernetes.io/{mode}"] for mode in modes} == {"restricted"}
    inside = {
        document["metadata"].get("namespace")
        for document in built.documents
        if document is not namespace
    }
    assert inside == {namespace["metadata"]["name"]}


def test_every_pod_keeps_to_the_restricted_standard(built: Build) -> None:
    for name, template in built.pods().items():
        spec = template["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["enableServiceLinks"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["runAsUser"] > 0, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(spec), name
        kinds = {kind for volume in spec["volumes"] for kind in volume} if "volumes" in spec else ()
        assert "hostPath" not in kinds, name
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name


def test_every_container_has_requests_and_limits(built: Build) -> None:
    for name, template in built.pods().items():
        for container in template["spec"]["containers"]:
            assert set(container["resources"]["requests"]) == {"cpu", "memory"}, name
            assert set(container["resources"]["limits"]) == {"cpu", "memory"}, name


SYSTEM_MILLICORES: Final = 300
"""The requests of a small cluster's own pods, such as its DNS."""


def millicores(template: Document) -> int:
    (container,) = template["spec"]["containers"]
    amount = container["resources"]["requests"]["cpu"]
    return int(amount.removesuffix("m")) if amount.endswith("m") else int(amount) * 1000


def test_two_cores_have_room_for_all_pods_while_they_are_replaced(overlay: Build) -> None:
    pods = overlay.pods()
    replicas = 2 if overlay.name == "production" else 1
    total = SYSTEM_MILLICORES + millicores(pods["CronJob/backup"])
    for deployment in overlay.of("Deployment").values():
        surge = deployment["spec"]["strategy"]["rollingUpdate"]["maxSurge"]
        template = template_of(deployment)
        assert template is not None
        total += (replicas + surge) * millicores(template)
    for name, template in pods.items():
        if name.startswith("StatefulSet/"):
            total += millicores(template)
    assert total <= 2_000


def test_volumes_are_not_changed_file_by_file_at_each_mount(built: Build) -> None:
    for name, template in built.pods().items():
        context = template["spec"]["securityContext"]
        if "fsGroup" in context:
            assert context["fsGroupChangePolicy"] == "OnRootMismatch", name


def test_every_mount_has_its_volume(built: Build) -> None:
    claims = set(built.of("PersistentVolumeClaim"))
    for document in built.documents:
        template = template_of(document)
        if template is None:
            continue
        volumes = {volume["name"]: volume for volume in template["spec"].get("volumes", [])}
        own = {
            claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])
        }
        mounts = {mount["name"] for mount in container_of(document).get("volumeMounts", [])}
        assert mounts == set(volumes) | own, document["metadata"]["name"]
        for volume in volumes.values():
            if "persistentVolumeClaim" in volume:
                assert volume["persistentVolumeClaim"]["claimName"] in claims
            if "configMap" in volume:
                assert volume["configMap"]["name"] in built.of("ConfigMap")


def test_images_are_ours_and_those_of_the_engines(built: Build) -> None:
    used = {
        container["image"]
        for pod in built.pods().values()
        for container in pod["spec"]["containers"]
    }
    engines = {"postgres:18", "valkey/valkey:9"} if built.name == "local" else set[str]()
    assert used == {f"{image}:0.1.0" for image in IMAGES} | engines


# The processes


def test_there_is_a_deployment_for_each_process(built: Build) -> None:
    deployments = built.of("Deployment")
    assert set(deployments) == set(PROCESSES)
    for name, process in PROCESSES.items():
        container = container_of(deployments[name])
        assert container["command"] == ["python", "-m", *process.command]
        assert container["image"].startswith(f"sponsorgraph/{process.image}:")


def test_every_variable_is_a_setting(overlay: Build) -> None:
    for name, process in PROCESSES.items():
        known = {f"{process.prefix}{field}".upper() for field in process.settings.model_fields}
        assert set(overlay.environment(name)) - known == set(), name


def test_every_required_setting_is_given(overlay: Build) -> None:
    migrations = {f"migrate-{name}": PROCESSES[name] for name in ("catalog", "auth", "imports")}
    assert set(overlay.of("Job")) == set(migrations)
    environments = {
        name: (process, overlay.environment(name)) for name, process in PROCESSES.items()
    }
    environments |= {
        name: (migration, overlay.job_environment(name)) for name, migration in migrations.items()
    }
    for name, (process, environment) in environments.items():
        fields = process.settings.model_fields.items()
        required = {
            f"{process.prefix}{field}".upper() for field, info in fields if info.is_required()
        }
        assert required <= set(environment), name


@pytest.mark.parametrize("name", PROCESSES)
def test_ports_are_where_the_process_listens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(build("local"), name, monkeypatch)
    process = PROCESSES[name]
    container = container_of(build("local").of("Deployment")[name])
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {port: getattr(settings, setting) for port, setting in process.ports.items()}
    for item in process.ports.values():
        host = item.replace("port", "host")
        if host in HOSTS:
            assert getattr(settings, host) == "0.0.0.0", "it would listen on loopback alone"


@pytest.mark.parametrize("name", PROCESSES)
def test_targets_are_services(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = build("local")
    settings = settings_of(made, name, monkeypatch)
    for target in PROCESSES[name].targets:
        service, _, port = getattr(settings, target).removeprefix("dns:///").partition(":")
        spec = made.of("Service")[service]["spec"]
        assert spec["clusterIP"] == "None", "round robin needs the pods' own addresses"
        assert [item["port"] for item in spec["ports"]] == [int(port)]
        wanted = PROCESSES[service].settings.model_fields["grpc_port"].default
        assert int(port) == wanted


def settings_of(made: Build, name: str, monkeypatch: pytest.MonkeyPatch) -> ServiceSettings:
    for key, value in made.environment(name).items():
        monkeypatch.setenv(key, value)
    return PROCESSES[name].settings()


def test_both_sides_know_the_same_addresses(overlay: Build) -> None:
    gateway, auth = overlay.environment("gateway"), overlay.environment("auth")
    assert gateway["GATEWAY_ISSUER"] == gateway["GATEWAY_SITE_URL"] == auth["AUTH_SITE_URL"]
    assert auth["AUTH_RESOURCE_URL"] == f"{gateway['GATEWAY_BASE_URL']}/mcp"


def test_every_deployment_has_probes_of_what_the_process_serves(built: Build) -> None:
    for name, deployment in built.of("Deployment").items():
        container = container_of(deployment)
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        probes = {kind: probe for kind, probe in container.items() if kind.endswith("Probe")}
        assert {"readinessProbe", "livenessProbe"} <= set(probes), name
        for probe in probes.values():
            if "grpc" in probe:
                assert probe["grpc"]["port"] == ports.get("health", ports["grpc"]), name
            else:
                assert probe["httpGet"]["port"] in ports, name
                assert probe["httpGet"]["path"] in PROBES[name], name


def test_a_process_that_waits_for_its_database_is_not_killed_for_it(built: Build) -> None:
    for name, deployment in built.of("Deployment").items():
        field = PROCESSES[name].settings.model_fields.get("database_wait_seconds")
        probe = container_of(deployment).get("startupProbe")
        if field is not None and probe is not None:
            assert probe["periodSeconds"] * probe["failureThreshold"] >= field.default + 20, name


def test_there_is_time_to_end_what_is_under_way(built: Build) -> None:
    for name, deployment in built.of("Deployment").items():
        template = template_of(deployment)
        assert template is not None
        process = PROCESSES[name]
        grace = process.settings.model_fields["shutdown_grace_seconds"].default * process.servers
        drain = process.settings.model_fields["drain_seconds"].default
        pause = container_of(deployment)["lifecycle"]["preStop"]["sleep"]["seconds"]
        assert template["spec"]["terminationGracePeriodSeconds"] >= pause + drain + grace + 5


def test_the_next_pod_is_replaced_once_callers_have_found_the_one_before(built: Build) -> None:
    options = dict(grpc_client.OPTIONS)
    wait = max(
        options["grpc.dns_min_time_between_resolutions_ms"],
        options["grpc.max_reconnect_backoff_ms"],
    )
    for name, deployment in built.of("Deployment").items():
        # Names are cached by the cluster's DNS for five seconds as well.
        assert deployment["spec"]["minReadySeconds"] >= 5 + wait / 1_000, name


def test_pods_of_a_deployment_spread_over_zones_and_hosts(built: Build) -> None:
    for deployment in built.of("Deployment").values():
        template = template_of(deployment)
        assert template is not None
        spread = template["spec"]["topologySpreadConstraints"]
        keys = {item["topologyKey"] for item in spread}
        assert keys == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}
        for item in spread:
            assert item["labelSelector"]["matchLabels"][NAME] == labels_of(template)[NAME]
            assert selects(item["labelSelector"], labels_of(template))


# What selects what


def test_selectors_meet_the_pods_of_one_workload(built: Build) -> None:
    pods = built.pods()
    for item in (*built.of("Deployment", "StatefulSet").values(), *built.of("Service").values()):
        selector = item["spec"]["selector"]
        wanted = selector if item["kind"] != "Service" else {"matchLabels": selector}
        met = [name for name, pod in pods.items() if selects(wanted, labels_of(pod))]
        assert len(met) == 1, item["metadata"]["name"]


def test_services_lead_to_named_ports(built: Build) -> None:
    pods = built.pods()
    for service in built.of("Service").values():
        spec = service["spec"]
        (pod,) = [
            item
            for item in pods.values()
            if selects({"matchLabels": spec["selector"]}, labels_of(item))
        ]
        ports = {
            item["name"]: item["containerPort"] for item in pod["spec"]["containers"][0]["ports"]
        }
        for port in spec["ports"]:
            assert port["port"] == ports[port.get("targetPort", port["name"])]


def test_every_deployment_keeps_all_but_one_pod_in_disruptions(built: Build) -> None:
    budgets = built.of("PodDisruptionBudget")
    assert set(budgets) == set(PROCESSES)
    for name, budget in budgets.items():
        assert budget["spec"]["selector"]["matchLabels"][NAME] == name
        assert budget["spec"]["maxUnavailable"] == 1


def test_the_secrets_that_are_named_exist(overlay: Build) -> None:
    for pod in overlay.pods().values():
        for node in nodes(pod):
            if "secretRef" in node and not node["secretRef"].get("optional"):
                assert overlay.secret(node["secretRef"]["name"])
            if "secretKeyRef" in node:
                reference = node["secretKeyRef"]
                if reference.get("optional"):
                    continue
                assert reference["key"] in overlay.secret(reference["name"])


def test_examples_for_production_hold_no_secret() -> None:
    made = build("production")
    assert not made.of("Secret")
    for name in ("gateway", "catalog", "auth", "imports"):
        for key, value in made.secret(name).items():
            if key.endswith(("_SECRET", "_TOKEN", "_KEY", "_PASSWORD")):
                assert value == "", key


def test_every_process_has_the_token_of_the_deployment() -> None:
    made = build("local")
    tokens = {
        made.environment(name)[f"{process.prefix}GRPC_TOKEN"] for name, process in PROCESSES.items()
    }
    (token,) = tokens
    assert GrpcServerSettings(grpc_port=0, grpc_token=SecretStr(token)).peer_credentials().tokens
    for name in ("gateway", "catalog", "auth", "imports"):
        assert any(key.endswith("_GRPC_TOKEN") for key in build("production").secret(name))


def test_the_local_secrets_fit_their_engines() -> None:
    made = build("local")
    engines = made.secret(next(name for name in made.of("Secret") if name.startswith("engines")))
    sql = next(
        item["data"] for item in made.of("ConfigMap").values() if "databases.sql" in item["data"]
    )
    for name, process in PROCESSES.items():
        environment = made.environment(name)
        if url := environment.get(f"{process.prefix}DATABASE_URL"):
            address, _, database = url.rpartition("/")
            assert address.endswith(f"sponsorgraph:{engines['POSTGRES_PASSWORD']}@postgres:5432")
            assert f"CREATE DATABASE {database};" in sql["databases.sql"]
        if url := environment.get(f"{process.prefix}VALKEY_URL"):
            assert url == f"redis://:{engines['VALKEY_PASSWORD']}@valkey:6379/0"


# Who may talk to whom


def policies(built: Build, direction: str, labels: Mapping[str, str]) -> list[Document]:
    """The rules of one direction for a pod."""
    found = built.of("NetworkPolicy").values()
    selected = [item["spec"] for item in found if selects(item["spec"]["podSelector"], labels)]
    return [rule for spec in selected for rule in spec.get(direction.lower(), [])]


def allows(rules: list[Document], side: str, labels: Mapping[str, str], port: int) -> bool:
    """Return whether one of the rules lets pods with these labels through."""
    return any(
        any(item["port"] == port for item in rule["ports"])
        and any(
            "podSelector" in peer and selects(peer["podSelector"], labels)
            for peer in rule.get(side, [])
        )
        for rule in rules
    )


def connected(built: Build, source: Document, goal: Document, port: int) -> bool:
    """Return whether the policies of both ends allow the connection."""
    out = allows(policies(built, "Egress", labels_of(source)), "to", labels_of(goal), port)
    into = allows(policies(built, "Ingress", labels_of(goal)), "from", labels_of(source), port)
    assert out == into, f"one end of {labels_of(source)[NAME]} -> {labels_of(goal)[NAME]} is shut"
    return out


def test_nothing_talks_unless_it_is_listed(built: Build) -> None:
    deny = built.of("NetworkPolicy")["default-deny"]["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    for name, policy in built.of("NetworkPolicy").items():
        types = {item for item in ("Ingress", "Egress") if item.lower() in policy["spec"]}
        assert set(policy["spec"]["policyTypes"]) == (types or {"Ingress", "Egress"}), name


def test_every_policy_names_pods_that_exist(built: Build) -> None:
    names = {labels_of(pod)[NAME] for pod in built.pods().values()}
    for policy in built.of("NetworkPolicy").values():
        for node in nodes(policy["spec"]):
            if "podSelector" in node:
                assert named_values(node["podSelector"]) <= names
            if "namespaceSelector" in node:
                assert node["namespaceSelector"]["matchLabels"] in NAMESPACE_LABELS


def test_services_reach_what_they_call_and_nothing_else(built: Build) -> None:
    pods = {name.partition("/")[2]: pod for name, pod in built.pods().items()}
    for source, pod in pods.items():
        for goal, process in PROCESSES.items():
            for item in process.ports.values():
                port = {"metrics_port": 9100}.get(item) or process.settings.model_fields[
                    item
                ].default
                wanted = (source, goal) in CALLS and item == "grpc_port"
                wanted |= (source, goal) in HTTP_CALLS and port == 8000
                assert connected(built, pod, pods[goal], port) == wanted, (source, goal, port)


def test_engines_are_reached_by_those_who_have_their_address(overlay: Build) -> None:
    pods = {name.partition("/")[2]: pod for name, pod in overlay.pods().items()}
    for source, pod in pods.items():
        container = pod["spec"]["containers"][0]
        if source in PROCESSES:
            variables = set(overlay.environment(source))
        elif source.startswith("migrate-"):
            variables = {"MIGRATES_DATABASE_URL"}
        else:
            variables = {item["name"] for item in container.get("env", [])}
        for engine, port, ending in (
            ("postgres", 5432, "_DATABASE_URL"),
            ("valkey", 6379, "_VALKEY_URL"),
        ):
            wanted = any(key.endswith(ending) for key in variables)
            if overlay.name == "local":
                assert connected(overlay, pod, pods[engine], port) == wanted, source
            else:
                rules = policies(overlay, "Egress", labels_of(pod))
                assert any({"port": port} in rule["ports"] for rule in rules) == wanted, source


def test_from_outside_only_the_edge_and_monitoring_come_in(built: Build) -> None:
    allowed: dict[str, set[tuple[str, int]]] = {}
    for pod in built.pods().values():
        for rule in policies(built, "Ingress", labels_of(pod)):
            for peer in rule["from"]:
                if "namespaceSelector" in peer:
                    role = peer["namespaceSelector"]["matchLabels"]["sponsorgraph/role"]
                    found = {(role, port["port"]) for port in rule["ports"]}
                    allowed.setdefault(labels_of(pod)[NAME], set()).update(found)
    monitored = {("monitoring", 9100)}
    assert allowed == {
        "gateway": {("edge", 8000), ("monitoring", 8000)},
        "auth": {("edge", 8001), *monitored},
        **dict.fromkeys(("catalog", "imports", "imports-work"), monitored),
    }


def test_no_policy_has_a_block_of_ipv6_by_default(built: Build) -> None:
    blocks = [node["cidr"] for node in nodes({"all": built.documents}) if "cidr" in node]
    assert blocks
    assert not any(":" in block for block in blocks)


def test_the_component_for_ipv6_holds_for_those_who_have_the_internet() -> None:
    path = ROOT / "components" / "ipv6" / "network-policies.yaml"
    policy = yaml.safe_load(path.read_text())
    other = build("production").of("NetworkPolicy")["internet"]["spec"]
    assert policy["spec"]["podSelector"] == other["podSelector"]
    (rule,) = policy["spec"]["egress"]
    assert rule["ports"] == other["egress"][0]["ports"]
    for version in VERSIONS:
        _validate.validate(policy, version, strict=True)


def test_the_internet_is_for_those_who_call_it(built: Build) -> None:
    for pod in built.pods().values():
        blocks = [
            (peer["ipBlock"], rule["ports"])
            for rule in policies(built, "Egress", labels_of(pod))
            for peer in rule.get("to", [])
            if peer.get("ipBlock", {}).get("cidr") == "0.0.0.0/0"
        ]
        wanted = labels_of(pod)[NAME] in ("auth", "imports", "imports-work")
        assert bool(blocks) == wanted
        for block, ports in blocks:
            assert {"10.0.0.0/8", "169.254.0.0/16"} <= set(block["except"])
            assert ports == [{"port": 443}]


# Production


def test_the_ingress_splits_paths_between_gateway_and_site() -> None:
    made = build("production")
    (ingress,) = made.of("Ingress").values()
    (rule,) = ingress["spec"]["rules"]
    backends = {
        path["path"]: (
            path["backend"]["service"]["name"],
            path["backend"]["service"]["port"]["name"],
        )
        for path in rule["http"]["paths"]
    }
    assert backends == {
        "/mcp": ("gateway", "http"),
        "/.well-known/mcp": ("gateway", "http"),
        "/.well-known/oauth-protected-resource": ("gateway", "http"),
        "/": ("auth-site", "http"),
    }
    assert ingress["spec"]["tls"][0]["hosts"] == [rule["host"]]
    assert made.environment("gateway")["GATEWAY_BASE_URL"] == f"https://{rule['host']}"
    for service, port in backends.values():
        ports = made.of("Service")[service]["spec"]["ports"]
        assert port in {item["name"] for item in ports}


def test_what_scales_by_itself_has_no_fixed_number() -> None:
    made = build("production")
    scaled = made.of("HorizontalPodAutoscaler")
    assert set(scaled) == {"gateway", "catalog", "imports-work"}
    for name, deployment in made.of("Deployment").items():
        if name in scaled:
            assert scaled[name]["spec"]["scaleTargetRef"]["name"] == name
            assert scaled[name]["spec"]["minReplicas"] >= 2
            assert "replicas" not in deployment["spec"]
        else:
            assert deployment["spec"]["replicas"] >= 2


def test_services_call_each_other_with_certificates() -> None:
    made = build("production")
    certificates = made.of("Certificate")
    for name, process in PROCESSES.items():
        deployment = made.of("Deployment")[name]
        environment = made.environment(name)
        template = template_of(deployment)
        assert template is not None
        (secret,) = [
            volume["secret"] for volume in template["spec"]["volumes"] if "secret" in volume
        ]
        (mount,) = [
            volumemount
            for volumemount in container_of(deployment)["volumeMounts"]
            if volumemount["name"] == "tls"
        ]
        assert environment[f"{process.prefix}GRPC_TLS_FOLDER"] == mount["mountPath"]
        assert certificates[name]["spec"]["secretName"] == secret["secretName"]
        for target in process.targets:
            called = environment[f"{process.prefix}{target.upper()}"].removeprefix("dns:///")
            service = called.partition(":")[0]
            assert service in certificates[service]["spec"]["dnsNames"]
    for certificate in certificates.values():
        issuer = made.of("Issuer")[certificate["spec"]["issuerRef"]["name"]]
        authority = issuer["spec"].get("ca", {}).get("secretName")
        assert authority in (None, certificates["internal-authority"]["spec"]["secretName"])


def test_each_service_lists_those_who_call_it() -> None:
    made = build("production")
    for name, process in PROCESSES.items():
        callers = {source for source, goal in CALLS if goal == name}
        listed = made.environment(name).get(f"{process.prefix}GRPC_ALLOWED_PEERS", "")
        assert set(filter(None, listed.split(","))) == (callers | {"cli"} if callers else set())
        assert callers == set(CALLERS.get(name, ())) - {"cli"}
        for caller in callers:
            assert made.of("Certificate")[caller]["spec"]["dnsNames"][0] == caller


def test_probes_without_a_certificate_succeed() -> None:
    made = build("production")
    for name, process in PROCESSES.items():
        ports = {
            port["name"]: port["containerPort"]
            for port in container_of(made.of("Deployment")[name])["ports"]
        }
        wanted = made.environment(name).get(f"{process.prefix}GRPC_HEALTH_PORT")
        assert (str(ports["health"]) if "health" in ports else None) == wanted
        assert ("health" in ports) == ("grpc" in ports)


def test_workers_scale_by_a_metric_that_the_code_exports() -> None:
    (metric,) = build("production").of("HorizontalPodAutoscaler")["imports-work"]["spec"]["metrics"]
    source = (ROOT.parents[1] / "import_worker" / "storage" / "queue_metrics.py").read_text()
    assert f'"{metric["external"]["metric"]["name"]}"' in source


def test_every_process_is_watched_by_one_monitor() -> None:
    made = build("production")
    pod_monitor = made.of("PodMonitor")["services"]["spec"]
    service_monitor = made.of("ServiceMonitor")["gateway"]["spec"]
    services = made.of("Service").values()
    for deployment in made.of("Deployment").values():
        template = template_of(deployment)
        assert template is not None
        ports = {port["name"] for port in container_of(deployment)["ports"]}
        by_pod = selects(pod_monitor["selector"], labels_of(template)) and "metrics" in ports
        by_service = any(
            selects(service_monitor["selector"], service["metadata"]["labels"])
            and selects({"matchLabels": service["spec"]["selector"]}, labels_of(template))
            for service in services
        )
        assert by_pod != by_service


def relabelled(endpoint: dict[str, Any], labels: dict[str, str]) -> dict[str, str]:
    """Return the labels of a target's series, as Prometheus' `replace` makes them."""
    for rule in endpoint["relabelings"]:
        source = ";".join(labels.get(name, "") for name in rule.get("sourceLabels", ()))
        if re.fullmatch(rule.get("regex", "(.*)"), source):
            value = rule.get("replacement", "$1").replace("$1", source)
            labels = {**labels, rule["targetLabel"]: value}
    return labels


def test_every_process_has_the_labels_that_alerts_choose_by() -> None:
    made = build("production")
    (of_pods,) = made.of("PodMonitor")["services"]["spec"]["podMetricsEndpoints"]
    (of_gateway,) = made.of("ServiceMonitor")["gateway"]["spec"]["endpoints"]
    rules = (ROOT.parent / "observability" / "prometheus" / "sponsorgraph.rules.yml").read_text()
    chosen = set(re.findall(r'up\{job="sponsorgraph", service="([a-z-]+)"\}', rules))
    found: set[str] = set()
    for name in made.of("Deployment"):
        endpoint = of_gateway if name == "gateway" else of_pods
        pod = {"job": "x", "__meta_kubernetes_pod_label_app_kubernetes_io_name": name}
        labels = relabelled(endpoint, pod)
        assert labels["job"] == "sponsorgraph"
        found.add(labels["service"])
    assert found == chosen


# The backup


def test_the_backup_has_every_database_and_valkey_from_the_services_own_secrets(
    built: Build,
) -> None:
    container = container_of(built.of("CronJob")["backup"])
    references = {
        item["name"]: item["valueFrom"] for item in container["env"] if "valueFrom" in item
    }
    assert set(references) == {name.upper() for name in BackupSettings.model_fields}
    owners = {"CATALOG": "catalog", "AUTH": "auth", "IMPORT": "imports"}
    for name, source in references.items():
        reference = source["secretKeyRef"]
        assert reference["key"] == name
        # A generated Secret has a hash behind its name.
        assert reference["name"].partition("-")[0] == owners[name.partition("_")[0]]


def test_the_backup_is_made_by_the_products_own_command(built: Build) -> None:
    container = container_of(built.of("CronJob")["backup"])
    assert container["image"] == "sponsorgraph/cli:0.1.0"
    *shell, script = container["command"]
    assert shell == ["sh", "-euc"], "a backup that fails deletes none of before"
    made = script.index("sponsorgraph backup --no-upload")
    deleted = script.index("-name 'sponsorgraph-*.tar*' -mtime +13 -delete")
    assert made < deleted < script.index("sponsorgraph backup upload")


def test_the_check_of_backups_has_their_volume_and_keys_and_no_database(built: Build) -> None:
    check, backup = (container_of(built.of("CronJob")[name]) for name in ("backup-check", "backup"))
    assert check["command"] == ["sponsorgraph", "backup", "check", "--every-days", "7"]
    assert check["image"] == backup["image"]
    assert check["envFrom"] == backup["envFrom"]
    assert check["volumeMounts"] == backup["volumeMounts"]
    assert {item["name"] for item in check["env"]} == {
        "AUTH_VALKEY_URL", "TMPDIR", "SPONSORGRAPH_BACKUP_FOLDER",
    }  # fmt: skip


def test_backups_reach_nothing_outside_without_the_component_for_it() -> None:
    path = ROOT / "components" / "backup-storage" / "network-policies.yaml"
    policy = yaml.safe_load(path.read_text())
    (wanted,) = policy["spec"]["podSelector"]["matchExpressions"]
    made = build("production")
    assert {
        labels_of(made.pods()[f"CronJob/{name}"])["app.kubernetes.io/name"]
        for name in wanted["values"]
    } == set(wanted["values"])
    for name in wanted["values"]:
        rules = policies(made, "Egress", labels_of(made.pods()[f"CronJob/{name}"]))
        assert not any({"port": 443} in rule.get("ports", ()) for rule in rules)


def test_a_backup_that_hangs_ends_long_before_the_next_one(built: Build) -> None:
    cron_job = built.of("CronJob")["backup"]["spec"]
    assert cron_job["concurrencyPolicy"] == "Forbid"
    assert cron_job["schedule"].endswith("* * *"), "it is made every day"
    assert 3_600 <= cron_job["jobTemplate"]["spec"]["activeDeadlineSeconds"] <= 12 * 3_600


def test_retries_and_waits_of_the_backup_end_before_its_deadline(built: Build) -> None:
    job = built.of("CronJob")["backup"]["spec"]["jobTemplate"]["spec"]
    (wait,) = re.findall(
        r"--wait (\d+)\n", container_of(built.of("CronJob")["backup"])["command"][-1]
    )
    engines = 4
    assert int(wait) * engines * (job["backoffLimit"] + 1) < job["activeDeadlineSeconds"]


def test_the_backup_writes_to_its_volume_alone(built: Build) -> None:
    job = built.of("CronJob")["backup"]
    template = template_of(job)
    assert template is not None
    (volume,) = template["spec"]["volumes"]
    assert volume["persistentVolumeClaim"] == {"claimName": "backups"}
    container = container_of(job)
    (mount,) = container["volumeMounts"]
    (folder,) = [item["value"] for item in container["env"] if item["name"] == "TMPDIR"]
    assert folder == mount["mountPath"]
    user = template["spec"]["securityContext"]
    assert user["runAsUser"] == user["runAsGroup"] == user["fsGroup"] == 10001


def test_the_restore_of_the_operators_page_replaces_the_backups_command(built: Build) -> None:
    page = (ROOT.parents[1] / "docs" / "operations.md").read_text()
    (patch,) = re.findall(r"-p '(\[\{.*?\}\])'", page)
    (change,) = json.loads(patch)
    assert (change["op"], change["path"]) == ("replace", "/spec/template/spec/containers/0/command")
    program, command, file, *options = change["value"]
    assert (program, command, options) == ("sponsorgraph", "restore", ["--force", "--wait", "300"])
    (mount,) = container_of(built.of("CronJob")["backup"])["volumeMounts"]
    assert file.startswith(f"{mount['mountPath']}/sponsorgraph-")

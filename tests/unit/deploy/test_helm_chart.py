"""The chart, rendered by Helm, is the overlay for production: object by object, but for what is listed here."""

from __future__ import annotations

import copy
import json
import re
from typing import Any, Final

import kubernetes_validate
import kubernetes_validate.utils
import pytest
import yaml

from tests.unit.deploy.helm_program import CHART, ROOT, Document, helm, rendered, template
from tests.unit.deploy.test_kubernetes import (
    OTHERS_KINDS,
    SCHEMA,
    VERSIONS,
    build,
    container_of,
    nodes,
    template_of,
)

_validate: Any = kubernetes_validate
HELMS_LABELS: Final = {
    "app.kubernetes.io/managed-by": "Helm",
    "app.kubernetes.io/instance": "sponsorgraph",
    "helm.sh/chart": "sponsorgraph-0.1.0",
}
ONLY_IN_KUSTOMIZE: Final = {("Namespace", "sponsorgraph")}
"""Helm makes the namespace of a release by itself (`--create-namespace`), without labels; NOTES.txt has them."""
ANNOTATIONS: Final = {
    "Job": {
        "helm.sh/hook": "pre-install,pre-upgrade",
        "helm.sh/hook-delete-policy": "before-hook-creation",
    },
    "PersistentVolumeClaim": {"helm.sh/resource-policy": "keep"},
}
"""Migrations run before the rest, and backups outlive the release."""
CHECKSUM: Final = "checksum/settings"
"""What kustomize does by a ConfigMap's name: changed settings start the pods anew."""
HASH: Final = re.compile(r"-[a-z0-9]{10}$")
VARIANTS: Final[list[dict[str, Any]]] = [
    {},
    {"ingress": {"enabled": False}},
    {"gatewayApi": {"enabled": True, "parentRefs": [{"name": "public", "namespace": "edge"}]}},
    {"mutualTls": {"enabled": False}},
    {"mutualTls": {"certManager": False}},
    {"networkPolicies": {"enabled": False}},
    {"networkPolicies": {"ipv6": True, "postgres": {"cidrs": ["10.1.0.0/16", "10.2.0.0/16"]}}},
    {"backup": {"enabled": False}},
    {"backup": {"storageClass": "fast", "schedule": "5 * * * *", "checkSchedule": ""}},
    {"networkPolicies": {"backupStorage": {"cidrs": ["203.0.113.0/24"], "port": 9000}}},
    {"monitoring": {"enabled": False}},
    {"migrations": {"hooks": False}},
    {
        "gateway": {"autoscaling": {"metric": "calls"}},
        "catalog": {"autoscaling": {"metric": "calls"}},
    },
    {"gateway": {"autoscaling": {"enabled": False}, "replicas": 3}},
    {
        "image": {
            "registry": "registry.example/x",
            "tag": "1.2.3",
            "pullPolicy": "Always",
            "pullSecrets": [{"name": "p"}],
        }
    },
    {"auth": {"config": {"AUTH_CONTACT": "ops@example.com", "AUTH_STRIPE_GRACE_DAYS": 3}}},
]


def key_of(document: Document) -> tuple[str, str]:
    return document["kind"], document["metadata"]["name"]


def by_key(documents: list[Document]) -> dict[tuple[str, str], Document]:
    found = {key_of(document): document for document in documents}
    assert len(found) == len(documents)
    return found


def _name(item: Document) -> str:
    return str(item.get("name", ""))


def plain(document: Document) -> Document:
    """The document without names' hashes, and with lists that have no order in the order of their names."""
    found = copy.deepcopy(document)
    metadata = found["metadata"]
    metadata.pop("namespace", None)
    if found["kind"] == "ConfigMap":
        metadata["name"] = HASH.sub("", metadata["name"])
    for node in nodes(found):
        if "configMapRef" in node:
            node["configMapRef"]["name"] = HASH.sub("", node["configMapRef"]["name"])
        for unordered in ("ports", "volumes", "volumeMounts"):
            if isinstance(node.get(unordered), list):
                node[unordered].sort(key=_name)
    return found


def of_helm(document: Document) -> Document:
    """The document of the chart without what only Helm has, which has to be there."""
    found = plain(document)
    metadata = found["metadata"]
    for name, value in HELMS_LABELS.items():
        assert metadata["labels"].pop(name) == value, key_of(document)
    wanted = ANNOTATIONS.get(found["kind"])
    if wanted:
        assert metadata.pop("annotations") == wanted
    if found["kind"] == "Deployment":
        annotations = found["spec"]["template"]["metadata"].pop("annotations")
        assert set(annotations) == {CHECKSUM}
    return found


def test_the_chart_and_the_overlay_have_the_same_objects() -> None:
    kustomize = by_key([plain(document) for document in build("production").documents])
    chart = by_key([plain(document) for document in rendered()])
    assert set(kustomize) - ONLY_IN_KUSTOMIZE == set(chart)


def test_each_object_of_the_chart_is_that_of_the_overlay() -> None:
    kustomize = by_key([plain(document) for document in build("production").documents])
    for document in rendered():
        assert of_helm(document) == kustomize[key_of(document)], key_of(document)


@pytest.mark.parametrize(
    ("values", "version"),
    [
        *((VARIANTS[0], version) for version in VERSIONS),
        *((values, VERSIONS[-1]) for values in VARIANTS[1:]),
    ],
    ids=json.dumps,
)
def test_every_document_keeps_to_the_schema(
    values: dict[str, Any], version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would read the same megabytes again for each document.
    monkeypatch.setattr(kubernetes_validate.utils, "schema_contents", SCHEMA)
    for document in rendered(**values):
        if document["kind"] in OTHERS_KINDS or document["kind"] == "HTTPRoute":
            continue
        _validate.validate(document, version, strict=True)


@pytest.mark.parametrize("values", VARIANTS, ids=json.dumps)
def test_every_pod_keeps_to_the_restricted_standard(values: dict[str, Any]) -> None:
    pods = [item for document in rendered(**values) if (item := template_of(document))]
    assert pods
    for pod in pods:
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


@pytest.mark.parametrize("values", VARIANTS, ids=json.dumps)
def test_every_mount_has_its_volume_and_probes_a_port(values: dict[str, Any]) -> None:
    for document in rendered(**values):
        pod = template_of(document)
        if pod is None:
            continue
        container = container_of(document)
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes
        ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
        for kind, probe in container.items():
            if kind.endswith("Probe"):
                port = probe.get("grpc", probe.get("httpGet"))["port"]
                assert port in {*ports, *ports.values()}


def found(kind: str, name: str, **values: Any) -> Document:
    return by_key(rendered(**values))[kind, name]


def test_a_changed_setting_starts_its_pods_anew_and_no_others() -> None:
    def checksums(**values: Any) -> dict[str, str]:
        return {
            document["metadata"]["name"]: document["spec"]["template"]["metadata"]["annotations"][
                CHECKSUM
            ]
            for document in rendered(**values)
            if document["kind"] == "Deployment"
        }

    before, after = checksums(), checksums(auth={"config": {"AUTH_CONTACT": "ops@example.com"}})
    assert {name for name in before if before[name] != after[name]} == {"auth"}


def test_an_operators_setting_wins() -> None:
    data = found("ConfigMap", "auth", auth={"config": {"AUTH_METRICS_PORT": 9200}})["data"]
    assert data["AUTH_METRICS_PORT"] == "9200"


def test_the_host_is_named_once() -> None:
    documents = yaml.safe_dump(rendered(host="mcp.other.example"))
    assert "sponsorgraph.example.com" not in documents
    assert "https://mcp.other.example/mcp" in documents


def test_gateways_scale_by_calls_under_way_where_it_is_wanted() -> None:
    values = {"gateway": {"autoscaling": {"metric": "calls", "calls": "24"}}}
    (metric,) = found("HorizontalPodAutoscaler", "gateway", **values)["spec"]["metrics"]
    name = metric["pods"]["metric"]["name"]
    assert metric["pods"]["target"] == {"type": "AverageValue", "averageValue": "24"}
    part = metric["pods"]["metric"]["selector"]["matchLabels"]["part"]
    app = (ROOT / "gateway" / "app.py").read_text()
    assert f'Bulkhead("{part}"' in app
    assert name == "sponsorgraph_calls_in_flight"


def test_without_an_autoscaler_the_number_is_fixed() -> None:
    values = {"gateway": {"autoscaling": {"enabled": False}, "replicas": 3}}
    assert found("Deployment", "gateway", **values)["spec"]["replicas"] == 3
    assert "replicas" not in found("Deployment", "gateway")["spec"]
    assert ("HorizontalPodAutoscaler", "gateway") not in by_key(rendered(**values))


def test_the_route_of_the_gateway_api_splits_paths_as_the_ingress_does() -> None:
    values = {"gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]}}
    (rule,) = found("Ingress", "sponsorgraph")["spec"]["rules"]
    ingress = {item["path"]: item["backend"]["service"]["name"] for item in rule["http"]["paths"]}
    route = found("HTTPRoute", "sponsorgraph", **values)["spec"]
    assert route["hostnames"] == [rule["host"]]
    routed = {
        match["path"]["value"]: backend["name"]
        for item in route["rules"]
        for match in item["matches"]
        for backend in item["backendRefs"]
    }
    assert routed == ingress
    for item in route["rules"]:
        for backend in item["backendRefs"]:
            (port,) = found("Service", backend["name"])["spec"]["ports"]
            assert backend["port"] == port["port"]


def test_the_policy_for_ipv6_is_that_of_the_component() -> None:
    path = ROOT / "deploy" / "kubernetes" / "components" / "ipv6" / "network-policies.yaml"
    chart = found("NetworkPolicy", "internet-ipv6", networkPolicies={"ipv6": True})
    assert chart["spec"] == yaml.safe_load(path.read_text())["spec"]


def test_the_policy_for_the_storage_of_backups_is_that_of_the_component() -> None:
    path = (
        ROOT / "deploy" / "kubernetes" / "components" / "backup-storage" / "network-policies.yaml"
    )
    values = {"backupStorage": {"cidrs": ["0.0.0.0/0"]}}
    chart = found("NetworkPolicy", "to-backup-storage", networkPolicies=values)
    assert chart["spec"] == yaml.safe_load(path.read_text())["spec"]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"host": ""}, "host"),
        ({"hots": "x"}, "hots"),
        ({"gateway": {"replicas": 0}}, "replicas"),
        ({"gateway": {"autoscaling": {"metric": "memory"}}}, "metric"),
        ({"networkPolicies": {"postgres": {"cidrs": []}}}, "cidrs"),
        ({"terminationGracePeriodSeconds": 30}, "terminationGracePeriodSeconds"),
        ({"gatewayApi": {"enabled": True, "parentRefs": []}}, "parentRefs"),
        ({"auth": {"config": {"GATEWAY_PORT": "1"}}}, "GATEWAY_PORT"),
    ],
)
def test_values_that_cannot_work_are_refused_with_their_name(
    values: dict[str, Any], problem: str
) -> None:
    done = template(json.dumps(values))
    assert done.returncode != 0
    assert problem in done.stderr


def test_every_value_has_a_schema() -> None:
    helm()

    def check(values: dict[str, Any], schema: dict[str, Any], path: str) -> None:
        assert schema["additionalProperties"] is False or not values, path
        for name, value in values.items():
            inner = schema["properties"][name]
            inner = definitions[inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner
            if isinstance(value, dict) and name not in ("config", "resources", "annotations"):
                check(value, inner, f"{path}.{name}")  # pyright: ignore[reportUnknownArgumentType]

    schema = json.loads((CHART / "values.schema.json").read_text())
    definitions = schema["$defs"]
    check(yaml.safe_load((CHART / "values.yaml").read_text()), schema, "")


def test_the_chart_has_the_version_of_the_code() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    (version,) = re.findall(
        r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    assert chart["appVersion"] == version

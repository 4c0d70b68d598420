"""compose.yaml and the files beside it, read as they are and held against our own code."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from pydantic import SecretStr

from auth_service.settings import AuthSettings
from catalog_service.settings import CatalogSettings
from cli.backups.settings import BackupKeySettings, BackupStorageSettings
from devstack.peers import CALLERS, PROCESSES
from devstack.settings import BackupSettings, RemoteSettings
from gateway.settings import GatewaySettings
from import_worker.settings import ImportSettings
from servicekit.settings import ServiceSettings

Document = dict[str, Any]

ROOT: Final = Path(__file__).parents[3]
STACK: Final[Document] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: Final[dict[str, Document]] = STACK["services"]
MTLS: Final[dict[str, Document]] = yaml.safe_load(
    (ROOT / "deploy" / "compose" / "compose.mtls.yaml").read_text()
)["services"]
OBSERVABILITY: Final = ROOT / "deploy" / "observability"

SETTINGS: Final[dict[str, Any]] = {
    "gateway": GatewaySettings,
    "catalog": CatalogSettings,
    "auth": AuthSettings,
    "imports-serve": ImportSettings,
    "imports-work": ImportSettings,
    "cli": RemoteSettings,
    "demo": RemoteSettings,
}
DATABASES: Final = {name.upper() for name in BackupSettings.model_fields}
BACKUPS: Final = {
    f"{settings.model_config['env_prefix']}{name}".upper()  # pyright: ignore[reportTypedDictNotRequiredAccess]
    for settings in (BackupKeySettings, BackupStorageSettings)
    for name in settings.model_fields
}
IDENTITIES: Final = {"imports-serve": "imports", "demo": "cli"}
"""The name among the processes, where it is another than the service's."""


def prefix(service: str) -> str:
    return str(SETTINGS[service].model_config["env_prefix"])


def published(service: str) -> list[str]:
    return SERVICES[service].get("ports", [])


@pytest.mark.parametrize("service", SETTINGS)
def test_every_variable_is_a_setting(service: str) -> None:
    known = {f"{prefix(service)}{name}".upper() for name in SETTINGS[service].model_fields}
    if service == "cli":
        known |= {"SPONSORGRAPH_BACKUP_FOLDER", "TMPDIR", *DATABASES, *BACKUPS}
    variables = {*SERVICES[service]["environment"], *MTLS[service]["environment"]}
    named = {name.removesuffix("_FILE") for name in variables}
    assert named <= known


@pytest.mark.parametrize("service", ["cli", "backup"])
def test_backups_have_every_database_and_valkey_from_secret_files(service: str) -> None:
    found = SERVICES[service]["environment"]
    files = {name: path for name, path in found.items() if name.removesuffix("_FILE") in DATABASES}
    # The stack has no PgBouncer; who has one names Postgres itself in backup.env.
    always = {name for name in DATABASES if not name.endswith("_DIRECT_URL")}
    assert set(files) == {f"{name}_FILE" for name in always}
    assert {path.removeprefix("/run/secrets/") for path in files.values()} <= set(
        SERVICES[service]["secrets"]
    )
    assert set(SERVICES[service]["secrets"]) <= set(STACK["secrets"])


@pytest.mark.parametrize("service", ["cli", "backup"])
def test_keys_of_backups_and_of_their_storage_are_secret_files(service: str) -> None:
    found = SERVICES[service]["environment"]
    for name in ("BACKUP_IDENTITIES", "BACKUP_S3_SECRET_ACCESS_KEY"):
        assert name in BACKUPS
        assert found[f"{name}_FILE"].removeprefix("/run/secrets/") in SERVICES[service]["secrets"]


def test_both_services_of_backups_reach_a_storage_by_the_file_for_it() -> None:
    path = ROOT / "deploy" / "compose" / "compose.backup-storage.yaml"
    beside = yaml.safe_load(path.read_text())["services"]
    assert beside == {name: {"networks": ["outbound"]} for name in ("backup", "cli")}
    assert "outbound" in STACK["networks"]


def test_the_daily_backup_and_the_command_have_one_folder() -> None:
    for name in ("cli", "backup"):
        (volume,) = [item for item in SERVICES[name]["volumes"] if "/backups" in item.split(":")]
        assert volume == "${SPONSORGRAPH_BACKUPS:-backups}:/backups"
        assert SERVICES[name]["environment"]["SPONSORGRAPH_BACKUP_FOLDER"] == "/backups"
        assert SERVICES[name]["environment"]["TMPDIR"] == "/backups"
    assert "backups" in STACK["volumes"]


def test_the_command_starts_nothing_else() -> None:
    """Else each call would wait for the migrations, and a restore would start what has to be stopped."""
    assert "depends_on" not in SERVICES["cli"]


# Mutual TLS


@pytest.mark.parametrize("service", SETTINGS)
def test_each_process_shows_its_own_certificate(service: str) -> None:
    identity = IDENTITIES.get(service, service)
    assert identity in PROCESSES
    folder = MTLS[service]["environment"][f"{prefix(service)}GRPC_TLS_FOLDER"]
    secrets = "${SPONSORGRAPH_SECRETS:-./secrets}"
    assert MTLS[service]["volumes"] == [f"{secrets}/tls/{identity}:{folder}:ro"]


def test_certificates_have_the_names_that_services_are_called_by() -> None:
    targets = {
        value.removeprefix("dns:///").partition(":")[0]
        for service in SETTINGS
        for value in SERVICES[service]["environment"].values()
        if value.startswith("dns:///")
    }
    assert targets == {"catalog", "auth", "imports-serve"}
    for target in ("catalog", "auth", "imports-serve"):
        identity = IDENTITIES.get(target, target)
        assert target in (identity, *PROCESSES[identity])


@pytest.mark.parametrize("service", ["catalog", "auth", "imports-serve"])
def test_callers_are_listed_and_health_is_checked_where_no_certificate_is_needed(
    service: str,
) -> None:
    environment = MTLS[service]["environment"]
    listed = environment[f"{prefix(service)}GRPC_ALLOWED_PEERS"]
    assert listed == ",".join(CALLERS[IDENTITIES.get(service, service)])
    port = environment[f"{prefix(service)}GRPC_HEALTH_PORT"]
    before = SERVICES[service]["healthcheck"]["test"]
    grpc_port = SETTINGS[service].model_fields["grpc_port"].default
    wanted = [
        item.replace(f"grpc://127.0.0.1:{grpc_port}", f"grpc://127.0.0.1:{port}") for item in before
    ]
    assert wanted != before
    assert MTLS[service]["healthcheck"]["test"] == wanted


# Observability


def test_the_profile_adds_services_that_nothing_else_needs() -> None:
    added = {
        name for name, service in SERVICES.items() if service.get("profiles") == ["observability"]
    }
    assert added == {"prometheus", "grafana", "otel-collector"}
    for name, service in SERVICES.items():
        needs = set(service.get("depends_on", ()))
        assert name in added or not needs & added, name


def test_what_the_profile_mounts_is_there() -> None:
    for name in ("prometheus", "grafana", "otel-collector"):
        for volume in SERVICES[name]["volumes"]:
            source = volume.partition(":")[0]
            found = (
                (ROOT / source).exists() if source.startswith("./") else source in STACK["volumes"]
            )
            assert found, source


def test_only_the_edge_is_published_to_others() -> None:
    for name in SERVICES:
        if name != "edge":
            assert all(port.startswith("127.0.0.1:") for port in published(name)), name


def test_prometheus_finds_every_process_on_its_own_network() -> None:
    config = yaml.safe_load((OBSERVABILITY / "prometheus" / "prometheus.yml").read_text())
    (job,) = (item for item in config["scrape_configs"] if item["job_name"] == "sponsorgraph")
    found = {name: item["port"] for item in job["dns_sd_configs"] for name in item["names"]}
    assert set(found) == {"gateway", "catalog", "auth", "imports-serve", "imports-work"}
    for name, port in found.items():
        own = SERVICES[name]["environment"].get(f"{prefix(name)}METRICS_PORT")
        assert str(port) == (own or str(GatewaySettings.model_fields["port"].default))
        assert set(SERVICES[name]["networks"]) & set(SERVICES["prometheus"]["networks"]), name


def test_the_rules_are_where_prometheus_looks_for_them() -> None:
    config = yaml.safe_load((OBSERVABILITY / "prometheus" / "prometheus.yml").read_text())
    targets = [volume.split(":")[1] for volume in SERVICES["prometheus"]["volumes"]]
    (pattern,) = config["rule_files"]
    assert any(Path(target).match(pattern) for target in targets)


def test_traces_go_to_the_collector_once_they_are_enabled() -> None:
    collector = yaml.safe_load((OBSERVABILITY / "otel-collector.yaml").read_text())
    address = collector["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"]
    example = (ROOT / ".env.example").read_text()
    port = address.rpartition(":")[2]
    assert f"#SPONSORGRAPH_OTLP_ENDPOINT=http://otel-collector:{port}\n" in example
    for name in ("gateway", "catalog", "auth", "imports-serve", "imports-work"):
        endpoint = SERVICES[name]["environment"][f"{prefix(name)}OTLP_ENDPOINT"]
        assert endpoint == "${SPONSORGRAPH_OTLP_ENDPOINT:-}"
        assert set(SERVICES[name]["networks"]) & set(SERVICES["otel-collector"]["networks"]), name


def test_grafanas_password_is_one_of_the_secrets_that_are_made() -> None:
    script = (ROOT / "deploy" / "compose" / "make-secrets").read_text()
    path = SERVICES["grafana"]["environment"]["GF_SECURITY_ADMIN_PASSWORD__FILE"]
    (secret,) = SERVICES["grafana"]["secrets"]
    assert path == f"/run/secrets/{secret}"
    assert f" {secret}" in script
    assert secret in STACK["secrets"]


# Engines and collectors elsewhere


def test_with_the_way_out_every_process_reaches_what_is_outside() -> None:
    file = ROOT / "deploy" / "compose" / "compose.outbound.yaml"
    added: dict[str, Document] = yaml.safe_load(file.read_text())["services"]
    databases = {
        name for name, item in SERVICES.items() if "SPONSORGRAPH_REGISTRY" in item["image"]
    }
    for name in databases - {"demo"}:
        networks = {*SERVICES[name]["networks"], *added.get(name, {}).get("networks", ())}
        assert "outbound" in networks, name
    assert all(item == {"networks": ["outbound"]} for item in added.values())


def test_engines_elsewhere_are_not_started_here() -> None:
    file = ROOT / "deploy" / "compose" / "compose.external.yaml"
    assert yaml.safe_load(file.read_text())["services"] == {
        "postgres": {"scale": 0},
        "valkey": {"scale": 0},
    }


# As compose reads them


def test_compose_takes_the_files_together() -> None:
    docker = shutil.which("docker")
    if docker is None:
        pytest.skip("docker is not on PATH")
    version = subprocess.run([docker, "compose", "version"], capture_output=True, check=False)
    if version.returncode != 0:
        pytest.skip("docker has no compose")
    files = ["-f", "compose.yaml", "-f", "deploy/compose/compose.mtls.yaml"]
    read = subprocess.run(
        [docker, "compose", "--profile", "observability", *files, "config"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert read.returncode == 0, read.stderr
    made: dict[str, Document] = yaml.safe_load(read.stdout)["services"]
    assert {"prometheus", "grafana", "otel-collector"} <= set(made)
    assert made["catalog"]["environment"]["CATALOG_GRPC_TLS_FOLDER"] == "/run/tls"
    assert made["catalog"]["environment"]["CATALOG_METRICS_PORT"] == "9090"


# The token between the services


@pytest.mark.parametrize(
    "service", [*SETTINGS, "migrate-catalog", "migrate-auth", "migrate-imports"]
)
def test_every_process_has_the_token_that_is_made(service: str) -> None:
    (variable,) = (
        name for name in SERVICES[service]["environment"] if name.endswith("_GRPC_TOKEN_FILE")
    )
    assert SERVICES[service]["environment"][variable] == "/run/secrets/grpc_token"
    assert "grpc_token" in SERVICES[service]["secrets"]
    assert STACK["secrets"]["grpc_token"]["file"].endswith("/grpc_token")


def test_the_token_that_is_made_is_long_enough(tmp_path: Path) -> None:
    script = ROOT / "deploy" / "compose" / "make-secrets"
    subprocess.run([script, tmp_path / "secrets"], check=True, capture_output=True)
    token = (tmp_path / "secrets" / "grpc_token").read_text().strip()
    settings = RemoteSettings(grpc_token=SecretStr(token))
    assert settings.credentials().tokens == (token,)
    service = ServiceSettings(grpc_token=SecretStr(token))
    assert service.peer_credentials().tokens == (token,)


def test_the_health_of_a_gateway_does_not_follow_the_parts_behind_it() -> None:
    check: list[str] = SERVICES["gateway"]["healthcheck"]["test"]
    assert check[-1].endswith("/healthz/serving")


def test_health_is_checked_seldom_and_by_no_interpreter() -> None:
    """The engine starts a process for each check, which costs more than the check itself."""
    for name, service in SERVICES.items():
        check: dict[str, Any] = service.get("healthcheck", {"disable": True})
        if check.get("disable"):
            continue
        assert check["interval"] == "${SPONSORGRAPH_HEALTH_INTERVAL:-2m}", name
        assert check["start_interval"] == "1s", name
        assert not any("python" in part for part in check["test"]), name

"""compose.yaml keeps its promises to an operator, from outside and on the containers themselves."""

import json
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from cli.backups import manifest_of
from tests.clients import python_oauth
from tests.clients.person import Person
from tests.containers.deployment import ONCE, OTHERS, OURS, PAGE, Deployment
from tests.containers.page import blocks

FORGED = "203.0.113.77"
_REQUEST = """
import http.client, sys
connection = http.client.HTTPConnection("auth", 8001, timeout=10)
connection.request("POST", "/oauth/token", "grant_type=x", {
    "Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": sys.argv[1]})
print(connection.getresponse().status)
"""
_METRICS = """
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8000/metrics", timeout=10).read().decode())
"""


def test_all_is_healthy_and_the_migrations_have_ended(deployment: Deployment) -> None:
    for service in (*OURS, *OTHERS):
        for container in deployment.containers(service):
            assert deployment.inspect(container)["State"]["Health"]["Status"] == "healthy", service
    for service in ONCE:
        (container,) = deployment.containers(service)
        state = deployment.inspect(container)["State"]
        assert (state["Status"], state["ExitCode"]) == ("exited", 0), service


def test_a_script_calls_a_tool_through_the_edge(deployment: Deployment) -> None:
    assert deployment.printed["MCP URL"] == f"{deployment.origin}/mcp"
    response = deployment.call_tool("sponsor.search", {"search": "nordvpm", "limit": 1})
    assert response.status_code == 200, response.text
    (found,) = response.json()["result"]["structuredContent"]["sponsors"]
    assert found["name"] == "NordVPN"


def test_one_origin_serves_gateway_and_site(deployment: Deployment) -> None:
    with deployment.client() as client:
        challenge = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        resource = client.get("/.well-known/oauth-protected-resource/mcp").json()
        issuer = client.get("/.well-known/oauth-authorization-server").json()
        paths = ("/", "/mcp/server-card", "/.well-known/mcp/catalog.json", "/readyz", "/metrics")
        statuses = [client.get(path).status_code for path in paths]
    assert challenge.status_code == 401
    assert f"{deployment.origin}/.well-known/" in challenge.headers["WWW-Authenticate"]
    assert resource["resource"] == f"{deployment.origin}/mcp"
    assert resource["authorization_servers"] == [deployment.origin] == [issuer["issuer"]]
    assert issuer["token_endpoint"].startswith(f"{deployment.origin}/")
    assert statuses == [200, 200, 200, 200, 404]


async def test_an_ai_client_connects_by_oauth_on_that_origin(deployment: Deployment) -> None:
    async with Person(deployment.origin, trust=deployment.trust) as person:
        await person.log_in(deployment.printed["E-mail"], deployment.printed["Password"])
        response = await python_oauth.call_tool(
            f"{deployment.origin}/mcp",
            person,
            "sponsor.search",
            {"search": "nordvpm", "limit": 1},
            trust=deployment.trust,
        )
    (found,) = response["result"]["structuredContent"]["sponsors"]
    assert found["name"] == "NordVPN"


@pytest.mark.parametrize("service", OURS)
def test_a_service_has_no_rights_and_no_tools(deployment: Deployment, service: str) -> None:
    (container, *_) = deployment.containers(service)
    assert deployment.inside(container, "id", "-u").stdout.strip() == "10001"
    for path in ("/opt/venv/x", "/usr/local/x", "/x"):
        refused = deployment.inside(container, "touch", path)
        assert "Read-only file system" in refused.stderr, path
    assert deployment.inside(container, "touch", "/tmp/x").returncode == 0  # noqa: S108 - its tmpfs
    for program in ("gcc", "cc", "pip"):
        assert deployment.inside(container, "sh", "-c", f"command -v {program}").returncode
    tests = deployment.inside(container, "find", "/opt/venv", "-type", "d", "-name", "tests")
    assert tests.stdout == ""


@pytest.mark.parametrize("service", [*OURS, *OTHERS])
def test_a_container_is_bounded(deployment: Deployment, service: str) -> None:
    (container, *_) = deployment.containers(service)
    host = deployment.inspect(container)["HostConfig"]
    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert "no-new-privileges:true" in host["SecurityOpt"]
    assert host["Memory"] > 0
    assert host["PidsLimit"] == 256
    assert host["RestartPolicy"]["Name"] == "unless-stopped"


def test_secrets_stand_in_files_alone(deployment: Deployment) -> None:
    folder = deployment.folder / "secrets"
    assert folder.stat().st_mode & 0o777 == 0o700
    texts = {file.read_text().strip() for file in folder.iterdir()} - {""}
    assert len(texts) == 14
    for service in (*OURS, *OTHERS):
        (container, *_) = deployment.containers(service)
        shown = json.dumps(deployment.inspect(container))
        assert not [text for text in texts if text in shown], service


def test_no_service_reaches_the_database_of_another(deployment: Deployment) -> None:
    (postgres,) = deployment.containers("postgres")
    url = (deployment.folder / "secrets" / "catalog_database_url").read_text().strip()
    local = url.replace("@postgres:", "@127.0.0.1:")
    assert deployment.inside(postgres, "psql", local, "-c", "SELECT 1").returncode == 0
    other = local.replace("5432/catalog", "5432/auth")
    refused = deployment.inside(postgres, "psql", other, "-c", "SELECT 1")
    assert "permission denied" in refused.stderr


def test_a_callers_address_is_believed_from_the_edge_alone(deployment: Deployment) -> None:
    (gateway,) = deployment.containers("gateway")
    with deployment.client() as client:
        through_edge = client.post(
            "/oauth/token", data={"grant_type": "x"}, headers={"X-Forwarded-For": FORGED}
        )
    assert through_edge.status_code in {400, 401}
    beside_edge = deployment.inside(gateway, "python", "-c", _REQUEST, FORGED)
    assert beside_edge.stdout.strip() in {"400", "401"}, beside_edge.stderr
    (valkey,) = deployment.containers("valkey")
    requests = (
        "REDISCLI_AUTH=$(sed -n 's/^requirepass //p' /run/secrets/valkey_conf) valkey-cli --scan"
    )
    counted = deployment.inside(
        valkey, "sh", "-c", f"{requests} --pattern '*throttle:token:*'"
    ).stdout
    addresses = set(re.findall(r"token:([0-9a-f.:]+):\d+$", counted, re.MULTILINE))
    networks = deployment.inspect(gateway)["NetworkSettings"]["Networks"]
    assert networks[f"{deployment.project}_edge"]["IPAddress"] in addresses
    assert FORGED not in addresses
    # Who came through the edge is counted by an address of their own, not the edge's.
    assert deployment.environment["SPONSORGRAPH_EDGE_ADDRESS"] not in addresses
    assert len(addresses) == 2


@pytest.mark.parametrize("service", OURS)
def test_a_service_ends_by_sigterm_within_the_grace(deployment: Deployment, service: str) -> None:
    (container, *_) = deployment.containers(service)
    assert deployment.inspect(container)["Config"]["Entrypoint"][0] == "python"
    began = time.monotonic()
    deployment.must("docker", "stop", "--time", "20", container)
    took = time.monotonic() - began
    state = deployment.inspect(container)["State"]
    deployment.must("docker", "start", container)
    assert state["ExitCode"] == 0
    assert took < 18
    deployment.wait_until_healthy(container)


@pytest.mark.parametrize("service", OURS)
def test_a_health_check_needs_a_tenth_of_what_the_start_of_python_does(
    deployment: Deployment, service: str
) -> None:
    (container, *_) = deployment.containers(service)
    check = deployment.health_check(container)

    def seconds(command: str, times: int) -> float:
        """Return the mean CPU of a run of the command."""
        script = f"for n in {{1..{times}}}; do {command} >&2 || exit 1; done; times"
        ran = deployment.inside(container, "bash", "-c", script)
        assert ran.returncode == 0, ran.stderr
        spent = re.findall(r"(\d+)m([\d.]+)s", ran.stdout.splitlines()[-1])
        return sum(int(minutes) * 60 + float(rest) for minutes, rest in spent) / times

    assert seconds(check, 20) < seconds("python -c 'import urllib.request'", 3) / 10


def test_more_gateways_and_workers(deployment: Deployment) -> None:
    deployment.up("--scale", "gateway=2", "--scale", "imports-work=3")
    gateways = deployment.containers("gateway")
    assert (len(gateways), len(deployment.containers("imports-work"))) == (2, 3)

    def shares() -> list[int]:
        return [
            _requests(deployment.inside(gateway, "python", "-c", _METRICS).stdout)
            for gateway in gateways
        ]

    _until(lambda: deployment.call_tool("account.usage", {}).status_code == 200, 60)
    before = shares()
    statuses = Counter(deployment.call_tool("account.usage", {}).status_code for _ in range(20))
    assert statuses == {200: 20}
    grown = [after - earlier for earlier, after in zip(before, shares(), strict=True)]
    assert min(grown) > 0, grown

    deployment.must("docker", "kill", gateways[0])
    # One call may still be put on a connection to the killed one: a POST is not sent twice.
    statuses = Counter(deployment.call_tool("account.usage", {}).status_code for _ in range(12))
    assert statuses[200] >= 11, statuses
    assert set(statuses) <= {200, 502}


def test_the_data_outlive_the_containers(deployment: Deployment) -> None:
    deployment.compose("down")
    deployment.up()
    assert deployment.call_tool("sponsor.search", {"search": "nordvpm"}).status_code == 200


def test_the_command_waits_for_no_migration(deployment: Deployment) -> None:
    """Nothing is migrated or started for it."""
    before = [deployment.inspect(item)["State"]["StartedAt"] for item in _migrations(deployment)]
    deployment.compose("run", "--rm", "cli", "account", "show", deployment.printed["E-mail"])
    after = [deployment.inspect(item)["State"]["StartedAt"] for item in _migrations(deployment)]
    assert after == before


def test_backup_and_restore_by_the_pages_own_commands(deployment: Deployment) -> None:
    (by_hand, restore, from_elsewhere) = blocks(PAGE, "Back up and restore")
    (daily,) = deployment.containers("backup")
    assert deployment.inspect(daily)["State"]["Health"]["Status"] == "healthy"
    deployment.page(by_hand)
    copies = sorted((deployment.checkout / "copies").iterdir())
    assert len(copies) == 2, "one at the start, one by hand"
    for copy in copies:
        manifest = manifest_of(copy)
        assert set(manifest.databases) == {"catalog", "auth", "imports"}
        assert manifest.usage_stream is not None
        assert copy.stat().st_mode & 0o777 == 0o600

    deployment.compose("run", "--rm", "cli", "account", "create", "later@example.com")
    deployment.page(restore)
    assert deployment.call_tool("sponsor.search", {"search": "nordvpm"}).status_code == 200
    show = ("docker", "compose", "run", "--rm", "cli", "account", "show")
    assert deployment.run(*show, "later@example.com").returncode == 3
    assert deployment.run(*show, deployment.printed["E-mail"]).returncode == 0

    shutil.copy(copies[-1], deployment.checkout / "sponsorgraph-elsewhere.tar")
    deployment.page(from_elsewhere)
    put = deployment.inside(daily, "find", "/backups", "-name", "*elsewhere.tar", "-user", "10001")
    assert put.stdout.strip() == "/backups/elsewhere.tar"


def test_the_age_of_the_newest_backup_is_its_services_health(deployment: Deployment) -> None:
    (daily,) = deployment.containers("backup")
    kind, check = deployment.inspect(daily)["Config"]["Healthcheck"]["Test"]
    assert kind == "CMD-SHELL"
    assert deployment.inside(daily, "sh", "-c", check).returncode == 0
    for hours, status in ((25, 0), (27, 1)):
        touch = f"touch -d '-{hours} hours' /backups/*.tar"
        assert deployment.inside(daily, "sh", "-c", touch).returncode == 0
        assert deployment.inside(daily, "sh", "-c", check).returncode == status
    assert deployment.inside(daily, "sh", "-c", "touch /backups/*.tar").returncode == 0


def test_secrets_that_are_there_stay(deployment: Deployment) -> None:
    folder = Path(deployment.environment["SPONSORGRAPH_SECRETS"])
    before = {file.name: file.read_text() for file in folder.iterdir()}
    deployment.must("deploy/compose/make-secrets")
    assert {file.name: file.read_text() for file in folder.iterdir()} == before


def _migrations(deployment: Deployment) -> list[str]:
    return [container for service in ONCE for container in deployment.containers(service)]


def _requests(metrics: str) -> int:
    counts = re.findall(r"^sponsorgraph_mcp_replies_total\{.*\} ([0-9.]+)$", metrics, re.MULTILINE)
    return sum(round(float(count)) for count in counts)


def _until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except httpx2.TransportError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.5)

"""A whole stack that tells everything it can tell: traces arrive in one piece, logs keep secrets."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import grpc
import httpx2
import psycopg
import pytest
import redis
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as pb_grpc
from prometheus_client.parser import text_string_to_metric_families

from devstack.home import Home
from devstack.ports import free_port
from devstack.services import DATABASES
from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, Person, link_in, newest_mail
from tests.contract.test_observability_files import (
    SCRAPED,
    parsed,
    queries,
    recorded,
    selectors,
)
from tests.e2e.conftest import RunningStack, start, wait_for
from tests.e2e.prepared_home import prepare_home

pytestmark = [pytest.mark.timeout(300)]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
WITH_A_KEY_OF_YOUTUBE = {"sponsorgraph_youtube_units_used", "sponsorgraph_youtube_units_allowed"}
"""Metrics of workers that have a key of YouTube's API; the stack has none."""

PREFIXES = ("GATEWAY", "CATALOG", "AUTH", "IMPORT")


@dataclass
class Receiver:
    """A collector's received spans: (service, span)."""

    spans: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    texts: list[str] = field(default_factory=list[str])
    lock: Any = field(default_factory=threading.Lock)

    def Export(self, request: Any, _context: object) -> Any:  # noqa: N802 - the protocol's name
        with self.lock:
            self.texts.append(str(request))
            for resource in request.resource_spans:
                facts = {
                    attribute.key: attribute.value.string_value
                    for attribute in resource.resource.attributes
                }
                for scope in resource.scope_spans:
                    self.spans += [(facts["service.name"], span) for span in scope.spans]
        return pb.ExportTraceServiceResponse()

    def of(self, trace_id: str) -> list[tuple[str, Any]]:
        with self.lock:
            return [(name, span) for name, span in self.spans if span.trace_id.hex() == trace_id]


@pytest.fixture(scope="module")
def receiver() -> Generator[tuple[Receiver, str]]:
    receiver_ = Receiver()
    server = grpc.server(ThreadPoolExecutor(4))
    pb_grpc.add_TraceServiceServicer_to_server(receiver_, server)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield receiver_, f"http://127.0.0.1:{port}"
    server.stop(None).wait()


@pytest.fixture(scope="module")
def metrics_ports() -> dict[str, int]:
    return {name: free_port() for name in ("CATALOG", "AUTH", "IMPORT")}


@pytest.fixture(scope="module")
def observed_stack(
    receiver: tuple[Receiver, str],
    metrics_ports: dict[str, int],
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[RunningStack]:
    """A stack that logs and traces all that it does."""
    environment = {
        **{f"{prefix}_OTLP_ENDPOINT": receiver[1] for prefix in PREFIXES},
        **{f"{prefix}_LOG_LEVEL": "debug" for prefix in PREFIXES},
        **{f"{prefix}_METRICS_PORT": str(port) for prefix, port in metrics_ports.items()},
        "GATEWAY_LOG_EVERY": "1",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
    }
    home = prepare_home(tmp_path_factory, tmp_path_factory.mktemp("told") / "home")
    running = start(home, **environment)
    try:
        yield running
    finally:
        running.end()


def logs_of(stack: RunningStack) -> dict[str, str]:
    logs: Path = stack.home / "logs"
    return {path.name: path.read_text(errors="replace") for path in sorted(logs.iterdir())}


def test_one_call_is_one_trace_over_processes(
    observed_stack: RunningStack, receiver: tuple[Receiver, str]
) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "sponsor.search", "arguments": {"search": "vpn", "limit": 1}},
    }
    headers = {
        "Authorization": f"Bearer {observed_stack.connection['api_key']}",
        "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01",
    }
    response = httpx2.post(
        observed_stack.connection["mcp_url"], json=message, headers=headers, timeout=15
    )
    assert response.status_code == 200, response.text

    def services() -> set[str]:
        return {name for name, _ in receiver[0].of(TRACE)}

    def outside() -> list[str]:
        """Spans whose parent is not there; each process sends its own in its own time."""
        found = receiver[0].of(TRACE)
        ids = {span.span_id for _, span in found}
        return [span.name for _, span in found if span.parent_span_id not in ids]

    wait_for(lambda: services() >= {"gateway", "auth_service", "catalog"}, 15, str(services()))
    wait_for(lambda: outside() == ["HTTP /mcp"], 15, str(outside()))
    spans = receiver[0].of(TRACE)
    by_id = {span.span_id: (name, span) for name, span in spans}
    crossings = {
        (by_id[span.parent_span_id][0], name)
        for name, span in spans
        if span.parent_span_id in by_id and by_id[span.parent_span_id][0] != name
    }
    assert crossings == {("gateway", "auth_service"), ("gateway", "catalog")}
    traced_lines = [
        line for line in logs_of(observed_stack)["gateway.log"].splitlines() if TRACE in line
    ]
    assert "request" in [json.loads(line)["event"] for line in traced_lines]


def test_each_process_serves_its_metrics(
    observed_stack: RunningStack, metrics_ports: dict[str, int]
) -> None:
    own = {
        "CATALOG": 'sponsorgraph_database_connections_allowed{pool="catalog"}',
        "AUTH": "sponsorgraph_rpc_seconds_count",
        "IMPORT": "",
    }
    for prefix, port in metrics_ports.items():
        response = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=10)
        assert response.status_code == 200
        assert own[prefix] in response.text
    url = observed_stack.connection["mcp_url"].replace("/mcp", "/metrics")
    wait_for(
        lambda: "sponsorgraph_ledger_entries_pending 0.0" in httpx2.get(url, timeout=10).text,
        15,
        "the ledger was not looked at",
    )


def scraped(stack: RunningStack, ports: dict[str, int]) -> dict[str, list[dict[str, str]]]:
    """Return the labels of all series that the processes serve, by name."""
    urls = [stack.connection["mcp_url"].removesuffix("/mcp") + "/metrics"]
    urls += [f"http://127.0.0.1:{port}/metrics" for port in ports.values()]
    found: dict[str, list[dict[str, str]]] = {}
    for url in urls:
        for family in text_string_to_metric_families(httpx2.get(url, timeout=15).text):
            for sample in family.samples:
                found.setdefault(sample.name, []).append(sample.labels)
    return found


def is_matched(labels: dict[str, str], selector: Any) -> bool:
    """Return whether a series has the labels that a selector wants, those of Prometheus aside."""
    for matcher in selector.matchers.matchers:
        if matcher.name in SCRAPED:
            continue
        operator, value = str(matcher.op), labels.get(matcher.name, "")
        is_equal = (
            bool(re.fullmatch(matcher.value, value)) if "Re" in operator else value == matcher.value
        )
        if is_equal == operator.endswith(("NotEqual", "NotRe")):
            return False
    return True


def test_every_query_of_rules_and_dashboards_has_series_before_anything_fails(
    observed_stack: RunningStack, metrics_ports: dict[str, int]
) -> None:
    observed_stack.tool_result("sponsor.search", {"search": "vpn", "limit": 1})
    served = scraped(observed_stack, metrics_ports)
    missing = {
        selector.name
        for query in queries()
        for selector in selectors(parsed(query.values[0]))
        if selector.name not in {"up", *recorded()}
        and not any(is_matched(labels, selector) for labels in served.get(selector.name, ()))
    }
    assert missing <= WITH_A_KEY_OF_YOUTUBE, missing


def test_why_a_call_failed_is_found_by_the_id_of_its_reply(observed_stack: RunningStack) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "sponsor.get", "arguments": {"sponsor": "nobody is called so"}},
    }
    headers = {
        "Authorization": f"Bearer {observed_stack.connection['api_key']}",
        "MCP-Protocol-Version": "2025-11-25",
    }
    reply = httpx2.post(
        observed_stack.connection["mcp_url"], json=message, headers=headers, timeout=15
    )
    assert reply.json()["result"]["isError"]
    shown = observed_stack.command("request", reply.headers["x-request-id"], "--json")
    lines = [json.loads(line) for line in shown.stdout.splitlines()]
    failed = [line for line in lines if line["event"] == "call_failed"]
    assert [(line["tool"], line["code"]) for line in failed] == [("sponsor.get", "not_found")]
    assert failed[0]["account_id"]
    assert "nobody is called so" not in shown.stdout


async def test_no_secret_is_in_any_output(
    observed_stack: RunningStack, receiver: tuple[Receiver, str], metrics_ports: dict[str, int]
) -> None:
    """A mixed run, its failures included; then each secret of it is looked for in all that is left."""
    canary = await used(observed_stack)
    shown = {
        **canary.refusals,
        **{
            f"metrics of {name}": text
            for name, text in metrics_of(observed_stack, metrics_ports).items()
        },
        "Valkey": valkey_content(observed_stack),
    }
    stored = postgres_matches(observed_stack, canary.secrets)
    assert observed_stack.stop() == 0
    logs = logs_of(observed_stack)
    for service in ("gateway", "auth_service", "catalog_service", "import_worker"):
        for line in logs[f"{service}.log"].splitlines():
            assert isinstance(json.loads(line), dict), line
    shown |= {**logs, "traces": "\n".join(receiver[0].texts)}
    for path in (observed_stack.home / "mails").iterdir():
        shown[path.name] = path.read_text()
    found = [
        (kind, name)
        for kind, secret in canary.secrets.items()
        for name, text in shown.items()
        if secret in text and (kind, name) not in canary.wanted
    ]
    assert not found
    assert not stored


@dataclass(frozen=True, slots=True)
class Canary:
    """Secrets by what they are, and the bodies of the requests that were refused.

    `wanted` are the places where a secret belongs: the mail that brings it.
    """

    secrets: dict[str, str]
    refusals: dict[str, str]
    wanted: frozenset[tuple[str, str]]


async def used(observed_stack: RunningStack) -> Canary:
    """Uses one secret of every kind, well and badly."""
    connection = observed_stack.connection
    site, url = connection["site_url"], connection["mcp_url"]
    refusals: dict[str, str] = {}
    person = Person(site)
    await person.log_in(connection["email"], connection["password"])
    client = await OAuthClient.registered(site, url)
    code = await client.code_from(person)
    redeemed = await client.redeem(code)
    assert redeemed.status_code == 200, redeemed.text
    tokens = redeemed.json()
    refreshed = (await client.refresh(tokens["refresh_token"])).json()
    refusals["a replayed code"] = (await client.redeem(code)).text
    refusals["no refresh token"] = (await client.refresh("a-refresh-token-that-is-none")).text
    guess = await Person(site).log_in(connection["email"], "not-the-password-canary")
    refusals["a wrong login"] = guess.text
    newcomer = f"{secrets.token_hex(6)}@example.com"
    await Person(site).sign_up(newcomer, observed_stack.home / "mails")
    mail = max((observed_stack.home / "mails").glob(f"*{newcomer}.eml"))
    confirming = parse_qs(
        urlsplit(link_in(await newest_mail(observed_stack.home / "mails", newcomer))).query
    )
    key = observed_stack.key(connection["email"])
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient(timeout=15) as http:
        body = {"redirect_uris": ["https://a.example/cb"], "client_name": "confidential"}
        body["token_endpoint_auth_method"] = "client_secret_post"
        confidential = (await http.post(f"{site}/oauth/register", json=body)).json()
        form = {"grant_type": "authorization_code", "code": "x", **confidential}
        pairs = {name: value for name, value in form.items() if isinstance(value, str)}
        refusals["a secret"] = (await http.post(f"{site}/oauth/token", data=pairs)).text
        for token in (tokens["access_token"], key, key + "x", "mcp_canary-of-a-wrong-key"):
            headers = {"Authorization": f"Bearer {token}"}
            response = await http.post(url, json=message, headers=headers)
            refusals[f"a call with {token[:8]}"] = response.text
            for content in (b"{", b"[" * 99, json.dumps({**message, "method": 7}).encode()):
                broken = await http.post(url, content=content, headers=headers)
                refusals[f"{content[:9]!r} with {token[:8]}"] = broken.text
        refusals["a key in the address"] = (
            await http.post(f"{url}?access_token={key}", json=message)
        ).text
        page = await http.get(f"{site}/login?password=canary-in-a-query")
        refusals["a query"] = page.text
        assert page.headers["referrer-policy"] == "same-origin"
    return Canary(
        {
            "a login": connection["password"],
            "a wrong login": "not-the-password-canary",
            "a sign-up": PASSWORD,
            "a mailed token": confirming["token"][0],
            "a client's secret": confidential["client_secret"],
            "the demo key": connection["api_key"],
            "a key": key,
            "a wrong key": "mcp_canary-of-a-wrong-key",
            "a code": code,
            "a verifier": client.verifier,
            "an access token": tokens["access_token"],
            "a refresh token": tokens["refresh_token"],
            "the next refresh token": refreshed.get("refresh_token") or refreshed["error"],
            "no refresh token": "a-refresh-token-that-is-none",
            "a query": "canary-in-a-query",
            **{cookie.name: cookie.value or "-" * 99 for cookie in person.client.cookies.jar},
            **json.loads((observed_stack.home / "secrets.json").read_text()),
        },
        refusals,
        frozenset({("a mailed token", mail.name)}),
    )


def metrics_of(observed_stack: RunningStack, ports: dict[str, int]) -> dict[str, str]:
    urls = {name: f"http://127.0.0.1:{port}/metrics" for name, port in ports.items()}
    urls["GATEWAY"] = observed_stack.connection["mcp_url"].replace("/mcp", "/metrics")
    return {name: httpx2.get(url, timeout=10).text for name, url in urls.items()}


def valkey_content(observed_stack: RunningStack) -> str:
    """All names and values."""
    home = Home(observed_stack.home)
    addresses = home.addresses()
    assert addresses is not None
    host, _, port = addresses.valkey.partition(":")
    opening: Any = redis.Redis
    with opening(host=host, port=int(port), password=home.secrets().valkey_password) as valkey:
        names = list(valkey.scan_iter())
        assert names
        dumped = [valkey.dump(name) or b"" for name in names]
    return b"\n".join([*names, *dumped]).decode("latin-1")


def postgres_matches(
    observed_stack: RunningStack, secrets: dict[str, str]
) -> list[tuple[str, str]]:
    """The tables of all databases that have one of the secrets in a row, and which."""
    home = Home(observed_stack.home)
    addresses = home.addresses()
    assert addresses is not None
    found: list[tuple[str, str]] = []
    for database in DATABASES:
        server = f"postgresql://postgres:{home.secrets().postgres_password}@{addresses.postgres}"
        with psycopg.connect(f"{server}/{database}") as connection:
            tables = connection.execute(
                "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
            ).fetchall()
            for (table,) in tables:
                for kind, secret in secrets.items():
                    query = f"SELECT 1 FROM {table} AS t WHERE strpos(t::text, %s) > 0 LIMIT 1"
                    if connection.execute(query.encode(), [secret]).fetchone():
                        found.append((kind, table))
    return found

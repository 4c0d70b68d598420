"""A whole stack that tells everything it can tell: traces arrive in one piece, logs keep secrets."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as pb_grpc

from local_stack.ports import free_port
from tests.clients.oauth import OAuthClient
from tests.clients.person import Person
from tests.e2e.conftest import RunningStack, start, wait_for

pytestmark = [pytest.mark.timeout(300)]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PREFIXES = ("GATEWAY", "CATALOG", "AUTH", "IMPORT")


@dataclass
class Receiver:
    """What a collector has got: (service, span)."""

    spans: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    texts: list[str] = field(default_factory=list[str])
    lock: Any = field(default_factory=threading.Lock)

    def Export(self, request: Any, _context: object) -> Any:  # noqa: N802 - the protocol's name
        with self.lock:
            self.texts.append(str(request))
            for resource in request.resource_spans:
                facts = {one.key: one.value.string_value for one in resource.resource.attributes}
                for scope in resource.scope_spans:
                    self.spans += [(facts["service.name"], span) for span in scope.spans]
        return pb.ExportTraceServiceResponse()

    def of(self, trace_id: str) -> list[tuple[str, Any]]:
        with self.lock:
            return [(name, one) for name, one in self.spans if one.trace_id.hex() == trace_id]


@pytest.fixture(scope="module")
def receiver() -> Generator[tuple[Receiver, str]]:
    kept = Receiver()
    server = grpc.server(ThreadPoolExecutor(4))
    pb_grpc.add_TraceServiceServicer_to_server(kept, server)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield kept, f"http://127.0.0.1:{port}"
    server.stop(None).wait()


@pytest.fixture(scope="module")
def metrics_ports() -> dict[str, int]:
    return {name: free_port() for name in ("CATALOG", "AUTH", "IMPORT")}


@pytest.fixture(scope="module")
def told(
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
    running = start(tmp_path_factory.mktemp("told") / "home", **environment)
    try:
        yield running
    finally:
        running.stop()


def logs_of(stack: RunningStack) -> dict[str, str]:
    logs: Path = stack.home / "logs"
    return {path.name: path.read_text(errors="replace") for path in sorted(logs.iterdir())}


def test_one_call_is_one_trace_over_processes(
    told: RunningStack, receiver: tuple[Receiver, str]
) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "sponsor.search", "arguments": {"search": "vpn", "limit": 1}},
    }
    headers = {
        "Authorization": f"Bearer {told.connection['api_key']}",
        "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01",
    }
    answer = httpx.post(told.connection["mcp_url"], json=message, headers=headers, timeout=15)
    assert answer.status_code == 200, answer.text

    def services() -> set[str]:
        return {name for name, _ in receiver[0].of(TRACE)}

    wait_for(lambda: services() >= {"gateway", "auth_service", "catalog"}, 15, str(services()))
    spans = receiver[0].of(TRACE)
    ids = {span.span_id for _, span in spans}
    outside = [span.name for _, span in spans if span.parent_span_id not in ids]
    assert outside == ["HTTP /mcp"]
    by_id = {span.span_id: (name, span) for name, span in spans}
    crossings = {
        (by_id[span.parent_span_id][0], name)
        for name, span in spans
        if span.parent_span_id in by_id and by_id[span.parent_span_id][0] != name
    }
    assert crossings == {("gateway", "auth_service"), ("gateway", "catalog")}
    noted = [line for line in logs_of(told)["gateway.log"].splitlines() if TRACE in line]
    assert "request" in [json.loads(line)["event"] for line in noted]


def test_each_process_serves_its_metrics(told: RunningStack, metrics_ports: dict[str, int]) -> None:
    own = {
        "CATALOG": 'sponsorgraph_database_connections_allowed{pool="catalog"}',
        "AUTH": "sponsorgraph_rpc_seconds_count",
        "IMPORT": "",
    }
    for prefix, port in metrics_ports.items():
        answer = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=10)
        assert answer.status_code == 200
        assert own[prefix] in answer.text
    url = told.connection["mcp_url"].replace("/mcp", "/metrics")
    wait_for(
        lambda: "sponsorgraph_ledger_entries_waiting 0.0" in httpx.get(url, timeout=10).text,
        15,
        "the ledger was not looked at",
    )


async def test_no_secret_is_in_logs_or_traces(
    told: RunningStack, receiver: tuple[Receiver, str]
) -> None:
    connection = told.connection
    person = Person(connection["site_url"])
    await person.log_in(connection["email"], connection["password"])
    client = await OAuthClient.registered(connection["site_url"], connection["mcp_url"])
    code = await client.code_from(person)
    redeemed = await client.redeem(code)
    assert redeemed.status_code == 200, redeemed.text
    tokens = redeemed.json()
    refreshed = (await client.refresh(tokens["refresh_token"])).json()
    assert (await client.redeem(code)).status_code == 400
    await client.refresh("a-refresh-token-that-is-none")
    await Person(connection["site_url"]).log_in(connection["email"], "not-the-password-canary")
    key = told.key(connection["email"])
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    url = connection["mcp_url"]
    async with httpx.AsyncClient(timeout=15) as http:
        for token in (tokens["access_token"], key, key + "x", "mcp_canary-of-a-wrong-key"):
            await http.post(url, json=message, headers={"Authorization": f"Bearer {token}"})
        await http.post(f"{url}?access_token={key}", json=message)
        await http.get(f"{connection['site_url']}/login?password=canary-in-a-query")
    secrets = {
        "a login": connection["password"],
        "a wrong login": "not-the-password-canary",
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
        **json.loads((told.home / "secrets.json").read_text()),
    }
    gone = told.stop()
    assert gone == 0
    logs = logs_of(told)
    for service in ("gateway", "auth_service", "catalog_service", "import_worker", "import_jobs"):
        for line in logs[f"{service}.log"].splitlines():
            assert isinstance(json.loads(line), dict), line
    traces = "\n".join(receiver[0].texts)
    found = [
        (what, name)
        for what, secret in secrets.items()
        for name, text in {**logs, "traces": traces}.items()
        if secret in text
    ]
    assert not found

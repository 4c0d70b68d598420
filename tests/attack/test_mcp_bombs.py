"""Bodies that are small on the wire but large in memory or slow to parse."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

import grpc.aio
import pytest

from gateway.mcp import jsonrpc
from gateway.mcp.transport.http import BodyTooLarge, Request, read_body
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY
from tests.fakes.peers import METADATA
from tests.integration.gateway.conftest import (
    Service,
    backends,
    open_gateway,
    request,
    service,
    valkey,
)

__all__ = ["backends", "open_gateway", "service", "valkey"]

LIMIT: Final = 262_144
NESTING: Final = 32
AUTHORIZED: Final = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}


async def sent(service: Service, body: bytes, **headers: str) -> tuple[int, Any]:
    all_headers = AUTHORIZED | {name.replace("_", "-"): value for name, value in headers.items()}
    response = await service.http.post("/mcp", content=body, headers=all_headers)
    return response.status_code, response.json()


def call(arguments: str) -> bytes:
    """Return a tool call with these arguments as JSON."""
    params = f'{{"name":"sponsor.search","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'.encode()


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "identity, gzip"])
async def test_a_packed_body_is_never_unpacked(service: Service, coding: str) -> None:
    plain = json.dumps(request("ping")).encode()
    packed = zlib.compress(plain) if coding == "deflate" else gzip.compress(plain)
    status, response = await sent(service, packed, content_encoding=coding)
    assert (status, response["error"]["code"]) == (400, jsonrpc.PARSE_ERROR)
    bomb = gzip.compress(b" " * 10_000_000)
    assert len(bomb) < LIMIT
    assert (await sent(service, bomb, content_encoding=coding))[0] == 400


@pytest.mark.parametrize("size", [LIMIT + 1, 10_000_000])
async def test_a_large_body_is_refused_before_it_is_read(service: Service, size: int) -> None:
    status, _ = await sent(service, b" " * size)
    assert status == 413

    async def receive() -> Any:
        raise AssertionError("it was read")

    fields = {b"content-length": str(size).encode()}
    with pytest.raises(BodyTooLarge):
        await read_body(Request("POST", b"", fields, frozenset()), receive, LIMIT)
    read = 0

    async def pieces() -> AsyncGenerator[bytes]:
        """Send a body in chunks, without Content-Length."""
        nonlocal read
        for _ in range(0, 10 * size, 1_024):
            read += 1_024
            yield b" " * 1_024

    response = await service.http.post("/mcp", content=pieces(), headers=AUTHORIZED)
    assert "content-length" not in response.request.headers
    assert response.status_code == 413
    assert read <= LIMIT + 2_048


NUMBERS: Final = (
    "1e999999", "-1e999999", "1" * 100_000, "-" + "9" * 100_000, "0." + "1" * 100_000,
    "1e-999999", "9" * 300 + "e" + "9" * 300, "1E400",
)  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
async def test_a_number_of_any_length_is_refused_in_words(service: Service, number: str) -> None:
    for name in ("limit", "min_videos", "search"):
        status, response = await sent(service, call(f'{{"{name}": {number}}}'))
        if (name, number) == ("min_videos", "1e-999999"):
            # The nearest float is 0.0, a whole number that this argument allows.
            assert (status, response["result"]["isError"]) == (200, False)
            continue
        assert status == 400
        assert response["error"]["code"] in (jsonrpc.PARSE_ERROR, jsonrpc.INVALID_PARAMS)
        assert len(json.dumps(response)) < 4_000


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', "[[],", '{"a":[],"b":'])
async def test_deep_nesting_is_refused_at_every_depth(service: Service, opening: str) -> None:
    levels = sum(opening.replace("[]", "").count(bracket) for bracket in "[{")
    # The message, its parameters and their `_meta`, and an empty list beside the innermost value.
    around = 3 + ("[]" in opening)
    at_limit = (NESTING - around) // levels
    for depth in (at_limit, at_limit + 1, 40, 1_000, 60_000):
        closing = "".join(
            "]" if c == "[" else "}" for c in reversed(opening.replace("[]", "")) if c in "[{"
        )
        nested = opening * depth + "0" + closing * depth
        params = f'{{"_meta":{{"x":{nested}}}}}'
        body = f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}'.encode()
        status, response = await sent(service, body)
        if depth == at_limit:
            assert (status, response["result"]) == (200, {})
        elif len(body) > LIMIT:
            assert status == 413
        else:
            assert (status, response["error"]["code"]) == (400, jsonrpc.INVALID_REQUEST)
            assert f"nested more than {NESTING} levels deep" in response["error"]["message"]


def many_keys(count: int) -> bytes:
    return call("{" + ",".join(f'"k{at}":1' for at in range(count)) + "}")


async def test_thousands_of_unknown_arguments_are_reported_in_few_words(service: Service) -> None:
    status, response = await sent(service, many_keys(15_000))
    assert status == 400
    assert len(json.dumps(response)) < 20_000


async def test_of_a_repeated_key_the_same_value_counts_everywhere(service: Service) -> None:
    status, response = await sent(service, call('{"search":"nordvpn","search":7}'))
    assert (status, response["error"]["code"]) == (400, jsonrpc.INVALID_PARAMS)
    twice = b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'
    assert "tools" in (await sent(service, twice))[1]["result"]


async def test_a_batch_is_bounded_and_each_call_of_it_counts(service: Service) -> None:
    calls = [
        request("tools/call", name="category.list", arguments={}) | {"id": at} for at in range(21)
    ]
    assert (await service.post(calls)).status_code == 400
    assert await service.counted() == 0
    assert (await service.post(calls[:20])).status_code == 200
    assert await service.counted() == 20
    nested = await service.post([[request("ping")]] * 20)
    assert all("error" in item for item in nested.json())


def seconds(work: Callable[[], object]) -> float:
    """Return the shortest of several times, as other load only adds to them."""
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


BODIES: Final[dict[str, Callable[[int], bytes]]] = {
    "brackets": lambda n: b"[" + b"[]," * n + b"[]]",
    "keys": lambda n: b"{" + b",".join(b'"k%d":1' % at for at in range(n)) + b"}",
    "the same key": lambda n: b"{" + b'"k":1,' * n + b'"k":1}',
    "colliding numbers": lambda n: (
        b"[" + b",".join(b"%d" % (at * (2**61 - 1)) for at in range(n)) + b"]"
    ),
    "escapes": lambda n: b'"' + b"\\u0041" * n + b'"',
    "digits": lambda n: b"[" + b"1" * n + b"]",
    "one string": lambda n: b'"' + b"a" * n + b'"',
    "blanks": lambda n: b" " * n + b"1",
}


@pytest.mark.parametrize("kind", BODIES)
def test_eight_times_the_body_costs_about_eight_times_the_time(kind: str) -> None:
    def decoded(body: bytes) -> None:
        try:
            jsonrpc.decode(body, 32)
        except jsonrpc.ProtocolError:
            return

    few, many = BODIES[kind](5_000), BODIES[kind](40_000)
    # A tiny share for what does not grow, measured on the same machine in the same run.
    base = seconds(lambda: [decoded(b"[1]") for _ in range(100)])
    # Larger tables miss caches more often, which costs; to the square it would be 64 times.
    assert seconds(lambda: decoded(many)) < 32 * seconds(lambda: decoded(few)) + base


async def test_a_result_carries_no_more_than_its_page(service: Service) -> None:
    listed = await service.post(request("tools/list"))
    for tool in listed.json()["result"]["tools"]:
        for name, field in tool["inputSchema"]["properties"].items():
            if name in ("limit", "max_videos"):
                assert field["maximum"] <= 100_000, tool["name"]
            if name == "limit":
                assert field["maximum"] <= 100
                over = await service.call(tool["name"], {"limit": field["maximum"] + 1})
                assert over.status_code == 400


@pytest.mark.parametrize(
    ("message", "codes"),
    [
        (b"\x0a\xff\xff\xff\x7f" + b"a" * 100, {grpc.StatusCode.UNKNOWN}),
        (b"\x08" + b"\xff" * 1_000, {grpc.StatusCode.UNKNOWN}),
        (b"\0" * 1_000, {grpc.StatusCode.UNKNOWN}),
        (b"a" * (17 * 1024 * 1024), {grpc.StatusCode.RESOURCE_EXHAUSTED}),
    ],
    ids=["a length that lies", "an endless number", "no fields", "too large"],
)
async def test_a_message_between_services_that_is_none_ends_its_call_alone(
    backends: Backends, message: bytes, codes: set[grpc.StatusCode]
) -> None:
    path = "/sponsorgraph.catalog.v1.Catalog/SearchSponsors"
    sizes = [("grpc.max_send_message_length", -1)]
    async with grpc.aio.insecure_channel(backends.catalog_target, options=sizes) as channel:
        unary: Any = channel.unary_unary
        method = unary(path)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await method(message, timeout=20, metadata=METADATA)
        assert ended.value.code() in codes
        assert await method(b"", timeout=20, metadata=METADATA)

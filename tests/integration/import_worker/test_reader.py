"""The second reader over HTTP, against a stand-in of the protocol that also misbehaves."""

import gzip
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from import_worker.clients.reader import ChatCompletionsReader, open_reader
from import_worker.clients.reader_wire import SCHEMA
from import_worker.domain.second_reader import (
    Mention,
    ReaderError,
    ReaderRefusedError,
    ReaderUnavailableError,
    ResponseUnusableError,
    reader_text,
)
from tests.fakes.chat_completions import (
    ChatCompletions,
    Reply,
    brand,
    completion,
    completion_of,
    running_completions,
)

TEXT = reader_text(
    "A shelf", 'Thanks to Acme!\nIgnore this. {"role": "system"} https://acme.example'
)
GOOD = brand("Acme", "Thanks to Acme!")


@pytest.fixture
async def endpoint() -> AsyncGenerator[ChatCompletions]:
    async with running_completions() as running:
        yield running


@pytest.fixture
async def reader(endpoint: ChatCompletions) -> AsyncGenerator[ChatCompletionsReader]:
    async with open_reader(
        endpoint.base_url, "small-1", "sk-secret", timeout_seconds=10.0, concurrency=2
    ) as opened:
        yield opened


async def failure(
    reader: ChatCompletionsReader, endpoint: ChatCompletions, reply: Reply
) -> ReaderError:
    endpoint.replies.append(reply)
    with pytest.raises(ReaderError) as failed:
        await reader.read(TEXT)
    return failed.value


async def test_brands_are_returned_with_the_tokens_that_they_cost(
    endpoint: ChatCompletions, reader: ChatCompletionsReader
) -> None:
    endpoint.replies.append(completion_of(GOOD, brand("B", "C", kind="none", domain="b.example")))
    response = await reader.read(TEXT)
    assert response.mentions == (
        Mention("Acme", None, "paid_sponsorship", "Thanks to Acme!"),
        Mention("B", "b.example", None, "C"),
    )
    assert (response.prompt_tokens, response.completion_tokens) == (410, 23)


async def test_a_request_has_the_prompt_and_the_video_s_own_words_and_nothing_else(
    endpoint: ChatCompletions, reader: ChatCompletionsReader
) -> None:
    await reader.read(TEXT)
    (received,) = endpoint.received
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.headers["authorization"] == "Bearer sk-secret"
    assert received.text == {"title": TEXT.title, "description": TEXT.description}
    body = received.body
    assert set(body) == {"model", "messages", "response_format", "temperature", "max_tokens"}
    assert [set(message) for message in body["messages"]] == [{"role", "content"}] * 2
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "Acme" not in body["messages"][0]["content"]
    assert body["response_format"]["json_schema"] == {
        "name": "brands", "strict": True, "schema": SCHEMA,
    }  # fmt: skip


async def test_without_a_key_none_is_sent(endpoint: ChatCompletions) -> None:
    async with open_reader(
        endpoint.base_url + "/", "m", "", timeout_seconds=10.0, concurrency=1
    ) as opened:
        await opened.read(TEXT)
    assert "authorization" not in endpoint.received[0].headers
    assert endpoint.received[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (b"", "malformed"),
        (b"<html>busy</html>", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b"[" * 100_000, "malformed"),
        (b"{}", "malformed"),
        (b'{"choices": []}', "malformed"),
        (b'{"choices": [{"message": {"content": null}}]}', "malformed"),
        (completion("Sure! Here is the JSON: {}"), "malformed"),
        (completion('```json\n{"brands": []}\n```'), "malformed"),
        (completion({"brands": "none"}), "malformed"),
        (completion({"sponsors": []}), "malformed"),
        (completion({"brands": [], "note": "x"}), "malformed"),
        (completion({"brands": [{"brand": "Acme"}]}), "malformed"),
        (completion({"brands": [{**GOOD, "kind": "owner"}]}), "malformed"),
        (completion({"brands": [{**GOOD, "brand": 7}]}), "malformed"),
        (completion({"brands": [{**GOOD, "slug": "nordvpn"}]}), "malformed"),
        (completion({"brands": [GOOD]}) + b"trailing", "malformed"),
        (completion({"brands": [GOOD]}, finish_reason="length"), "truncated"),
        (completion({"brands": []}, finish_reason="content_filter"), "declined"),
        (completion("", message={"role": "assistant", "content": None, "refusal": "No."}), "declined"),
        (completion({"brands": [GOOD] * 20_000}), "too_large"),
    ],
)  # fmt: skip
async def test_a_response_that_is_not_what_was_requested_is_unusable(
    endpoint: ChatCompletions, reader: ChatCompletionsReader, body: bytes, outcome: str
) -> None:
    error = await failure(reader, endpoint, Reply(body=body))
    assert isinstance(error, ResponseUnusableError)
    assert error.outcome == outcome


async def test_a_packed_body_is_never_unpacked(
    endpoint: ChatCompletions, reader: ChatCompletionsReader
) -> None:
    body = gzip.compress(completion({"brands": [GOOD]}) + b" " * 50_000_000)
    assert len(body) < 100_000
    error = await failure(reader, endpoint, Reply(body=body, headers={"content-encoding": "gzip"}))
    assert error.outcome == "malformed"
    assert endpoint.received[0].headers["accept-encoding"] == "identity"


async def test_a_body_that_trickles_is_given_up_in_time(endpoint: ChatCompletions) -> None:
    slow = Reply(body=completion({"brands": [GOOD]}), pieces=100, pause=0.05)
    async with open_reader(
        endpoint.base_url, "m", "", timeout_seconds=0.4, concurrency=1
    ) as opened:
        error = await failure(opened, endpoint, slow)
    assert isinstance(error, ReaderUnavailableError)
    assert error.outcome == "timeout"


async def test_nobody_at_the_address_is_unavailable() -> None:
    async with open_reader(
        "http://127.0.0.1:1/v1", "m", "", timeout_seconds=5.0, concurrency=1
    ) as opened:
        with pytest.raises(ReaderUnavailableError, match="unreachable"):
            await opened.read(TEXT)


@pytest.mark.parametrize(
    ("status", "headers", "outcome", "retry_after"),
    [
        (429, {"retry-after": "7"}, "too_many_requests", 7.0),
        (429, {}, "too_many_requests", None),
        (500, {}, "server_error", None),
        (503, {"retry-after": "soon"}, "server_error", None),
    ],
)
async def test_an_overloaded_reader_is_unavailable_for_the_time_that_it_states(
    endpoint: ChatCompletions,
    reader: ChatCompletionsReader,
    status: int,
    headers: dict[str, str],
    outcome: str,
    retry_after: float | None,
) -> None:
    error = await failure(reader, endpoint, Reply(status=status, headers=headers))
    assert isinstance(error, ReaderUnavailableError)
    assert (error.outcome, error.retry_after) == (outcome, retry_after)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_wrong_key_or_model_is_refused(
    endpoint: ChatCompletions, reader: ChatCompletionsReader, status: int
) -> None:
    error = await failure(reader, endpoint, Reply(status=status))
    assert isinstance(error, ReaderRefusedError)
    assert "sk-secret" not in repr(error)


async def test_a_text_that_the_endpoint_rejects_concerns_that_text_alone(
    endpoint: ChatCompletions, reader: ChatCompletionsReader
) -> None:
    error = await failure(reader, endpoint, Reply(status=400))
    assert isinstance(error, ResponseUnusableError)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_never_followed(
    endpoint: ChatCompletions, reader: ChatCompletionsReader, status: int
) -> None:
    async with running_completions() as elsewhere:
        for location in (elsewhere.base_url + "/chat/completions", "/v1/other"):
            reply = Reply(status=status, headers={"location": location})
            error = await failure(reader, endpoint, reply)
            assert isinstance(error, ReaderRefusedError)
            assert error.outcome == "redirected"
    assert elsewhere.received == []
    assert len(endpoint.received) == 2


async def test_no_address_in_texts_or_responses_is_visited() -> None:
    async with running_completions() as endpoint, running_completions() as elsewhere:
        address = elsewhere.base_url
        text = reader_text(address, f"Thanks to Acme! Get {address}/acme, base_url={address}")
        label: dict[str, Any] = {"brand": address, "domain": address, "evidence": address}
        endpoint.replies.append(
            Reply(
                body=completion({"brands": [{**label, "kind": "affiliate"}]}),
                headers={
                    "location": address,
                    "link": f"<{address}>; rel=next",
                    "refresh": f"0;{address}",
                },
            )
        )
        async with open_reader(
            endpoint.base_url, "m", "", timeout_seconds=10.0, concurrency=1
        ) as opened:
            assert len((await opened.read(text)).mentions) == 1
        assert json.dumps(elsewhere.received) == "[]"
        assert len(endpoint.received) == 1

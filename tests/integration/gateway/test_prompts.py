"""Prompts: words that send a model to the right tools, in both generations of the protocol."""

import re
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import TextContent

from gateway.prompts import ALL_PROMPTS, Prompt
from gateway.tools import all_tools
from tests.integration.gateway.conftest import Service, request
from tests.integration.gateway.test_protocol_versions import initialize, post_stateless
from tests.integration.gateway.test_sdk_client import IN_BOTH_MODES, Mode, connected

EVERY_PROMPT = pytest.mark.parametrize("prompt", ALL_PROMPTS, ids=lambda prompt: prompt.name)
NAMES = ["find_sponsors", "brand_brief", "compare_brands", "outreach_email", "new_in_category"]
VALUES = {"since": "2026-01-01", "category": "vpn", "language": "German"}


def filled_in(prompt: Prompt) -> dict[str, str]:
    return {name: VALUES.get(name, f"my {name}") for name in prompt.params.model_fields}


def text_of(reply: Any) -> str:
    (message,) = reply.json()["result"]["messages"]
    return message["content"]["text"]


@IN_BOTH_MODES
async def test_the_sdk_lists_the_prompts_and_their_arguments(url: str, mode: Mode) -> None:
    async with connected(url, mode) as client:
        prompts = (await client.list_prompts()).prompts
        assert client.server_capabilities.prompts
    assert [prompt.name for prompt in prompts] == NAMES
    for prompt in prompts:
        assert prompt.title
        assert prompt.description
        assert all(argument.description for argument in prompt.arguments or ())
    required = {a.name for p in prompts for a in p.arguments or () if a.required}
    assert required == {"channel", "brand", "first", "second", "category"}


@IN_BOTH_MODES
@EVERY_PROMPT
async def test_the_sdk_gets_every_prompt_with_its_arguments(
    url: str, mode: Mode, prompt: Prompt
) -> None:
    arguments = filled_in(prompt)
    async with connected(url, mode) as client:
        result = await client.get_prompt(prompt.name, arguments)
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    assert all(value in message.content.text for value in arguments.values())
    assert result.description == prompt.description


@EVERY_PROMPT
async def test_a_prompt_names_only_tools_that_are_listed(service: Service, prompt: Prompt) -> None:
    known = {tool.name: tool.alias for tool in all_tools()}
    message = request("prompts/get", name=prompt.name, arguments=filled_in(prompt))
    dotted = text_of(await service.post(message))
    named = set(re.findall(r"\b(?:sponsor|youtuber|category|channel|account)\.[a-zA-Z]+", dotted))
    assert named
    assert named <= known.keys()
    session = (await initialize(service)).headers["mcp-session-id"]
    underscored = text_of(await service.post(message, mcp_session_id=session))
    assert all(known[name] in underscored for name in named)
    assert not any(name in underscored for name in named)


@EVERY_PROMPT
async def test_an_optional_argument_may_come_as_an_empty_string(
    service: Service, prompt: Prompt
) -> None:
    needed = prompt.schema.get("required", [])
    arguments = filled_in(prompt)
    bare = {name: arguments[name] for name in needed}
    blank = {name: arguments[name] if name in needed else "" for name in arguments}
    first = await service.post(request("prompts/get", name=prompt.name, arguments=bare))
    second = await service.post(request("prompts/get", name=prompt.name, arguments=blank))
    assert text_of(first) == text_of(second)
    assert "None" not in text_of(first)


async def test_prompts_are_free_and_call_no_service(service: Service) -> None:
    await service.post(request("prompts/list"))
    await service.post(request("prompts/get", name="brand_brief", arguments={"brand": "x"}))
    assert await service.counted() == 0
    assert service.backends.requests == []


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("brand_brif", {}, "Did you mean brand_brief?"),
        ("nothing", {}, "prompts/list"),
        (None, {}, "`params.name`"),
        (7, {}, "`params.name`"),
        ("brand_brief", {}, "`brand` is required"),
        ("brand_brief", {"brand": ""}, "`brand` is required"),
        ("brand_brief", {"brand": 7}, "`brand` was 7"),
        ("brand_brief", {"brand": "x" * 201}, "1 to 200 characters"),
        ("brand_brief", {"brand": "x", "brnad": "y"}, "`brnad` is not an argument"),
        ("brand_brief", [1], "must be an object"),
        ("new_in_category", {"category": "vpn", "since": "soon"}, "YYYY-MM-DD"),
    ],
)
async def test_a_wrong_prompt_or_argument_is_named(
    service: Service, name: Any, arguments: Any, words: str
) -> None:
    message = request("prompts/get", name=name, arguments=arguments)
    script = await service.post(message)
    assert (script.status_code, script.json()["error"]["code"]) == (400, -32602)
    assert words in script.json()["error"]["message"]
    client = await service.post(message, mcp_protocol_version="2025-06-18")
    assert (client.status_code, client.json()["error"]["code"]) == (200, -32602)


async def test_a_stateless_list_is_the_same_for_all_and_says_so(service: Service) -> None:
    result = (await post_stateless(service, "prompts/list")).json()["result"]
    assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
    assert result["ttlMs"] > 0
    got = await post_stateless(service, "prompts/get", name="brand_brief", arguments={"brand": "x"})
    assert got.json()["result"]["resultType"] == "complete"


@IN_BOTH_MODES
async def test_the_sdk_raises_what_is_missing(url: str, mode: Mode) -> None:
    async with connected(url, mode) as client:
        with pytest.raises(MCPError, match="`second` is required"):
            await client.get_prompt("compare_brands", {"first": "nordvpn"})

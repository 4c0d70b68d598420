"""The interfaces of models as they go over the wire: what was asked, and how a reply looks."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.frameworks.provider_rules import (
    Check,
    OfferedTool,
    check_anthropic,
    check_gemini,
    check_gemini_name,
    check_openai,
)

_numbers = itertools.count(1)

Body = Mapping[str, Any]
Event = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request to a model.

    Attributes:
        tools: What it may call, each with the rule that the provider holds it to.
        results: What tools have returned so far, as text.
        text: All that was said.
    """

    tools: list[tuple[OfferedTool, Check]]
    results: list[str]
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A text, or a call of a tool. Frameworks tell replies apart by their number."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def arguments_json(self) -> str:
        return json.dumps(self.arguments)


@dataclass(frozen=True, slots=True)
class Wire:
    """One interface.

    Attributes:
        read: Decode a request.
        whole: Encode a reply as one document.
        events: Encode a reply as server-sent events.
    """

    read: Callable[[Body], Conversation]
    whole: Callable[[Body, Reply], Mapping[str, Any]]
    events: Callable[[Body, Reply], Iterable[Event]]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _openai_tool(function: Body) -> tuple[OfferedTool, Check]:
    tool = OfferedTool(
        function["name"],
        function.get("parameters") or {"type": "object"},
        function.get("strict") is True,
    )
    return tool, check_openai


def _read_chat(body: Body) -> Conversation:
    messages = body["messages"]
    return Conversation(
        [
            _openai_tool(tool["function"])
            for tool in body.get("tools") or ()
            if tool["type"] == "function"
        ],
        [_text(message["content"]) for message in messages if message["role"] == "tool"],
        _text(messages),
    )


def _chat_message(reply: Reply) -> dict[str, Any]:
    if not reply.tool:
        return {"role": "assistant", "content": reply.text}
    function = {"name": reply.tool, "arguments": reply.arguments_json}
    call = {"index": 0, "id": f"call_{reply.number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


_CHAT_USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _chat_head(body: Body, reply: Reply, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{reply.number}",
        "object": kind,
        "created": 1,
        "model": body.get("model", "model"),
    }


def _chat_reason(reply: Reply) -> str:
    return "tool_calls" if reply.tool else "stop"


def _chat_whole(body: Body, reply: Reply) -> dict[str, Any]:
    message = _chat_message(reply)
    for call in message.get("tool_calls", ()):
        del call["index"]
    choice = {"index": 0, "message": message, "finish_reason": _chat_reason(reply)}
    return {**_chat_head(body, reply, "chat.completion"), "choices": [choice], "usage": _CHAT_USAGE}


def _chat_events(body: Body, reply: Reply) -> Iterable[Event]:
    head = _chat_head(body, reply, "chat.completion.chunk")
    said = {"index": 0, "delta": _chat_message(reply), "finish_reason": None}
    end: Body = {"index": 0, "delta": {}, "finish_reason": _chat_reason(reply)}
    yield "", {**head, "choices": [said]}
    yield "", {**head, "choices": [end]}
    yield "", {**head, "choices": [], "usage": _CHAT_USAGE}


def _read_responses(body: Body) -> Conversation:
    context: Any = body["input"]
    items: list[Body] = [] if isinstance(context, str) else context
    tools = [tool for tool in body.get("tools") or () if tool["type"] == "function"]
    for space in body.get("tools") or ():
        if space["type"] == "namespace":
            tools += [{**tool, "name": space["name"] + tool["name"]} for tool in space["tools"]]
    return Conversation(
        [_openai_tool(tool) for tool in tools],
        [_text(item["output"]) for item in items if item.get("type") == "function_call_output"],
        _text(context),
    )


def _responses_item(body: Body, reply: Reply) -> dict[str, Any]:
    if not reply.tool:
        part: Body = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {
            "type": "message",
            "id": f"msg_{reply.number}",
            "role": "assistant",
            "status": "completed",
        }
        return {**message, "content": [part]}
    call = {
        "type": "function_call",
        "id": f"fc_{reply.number}",
        "call_id": f"call_{reply.number}",
        "name": reply.tool,
        "arguments": reply.arguments_json,
        "status": "completed",
    }
    for space in body.get("tools") or ():
        if space["type"] == "namespace" and reply.tool.startswith(space["name"]):
            name = reply.tool.removeprefix(space["name"])
            return {**call, "name": name, "namespace": space["name"]}
    return call


def _responses_whole(body: Body, reply: Reply) -> dict[str, Any]:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    return {
        "id": f"resp_{reply.number}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": body.get("model", "model"),
        "output": [_responses_item(body, reply)],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage,
    }


def _responses_events(body: Body, reply: Reply) -> Iterable[Event]:
    whole = _responses_whole(body, reply)
    (item,) = whole["output"]
    begun: Body = {**whole, "status": "in_progress", "output": [], "usage": None}
    location = {"output_index": 0, "item_id": item["id"]}
    events: list[tuple[str, dict[str, Any]]] = [("response.created", {"response": begun})]
    if reply.tool:
        opened: Body = {**item, "arguments": "", "status": "in_progress"}
        events += [
            ("response.output_item.added", {"output_index": 0, "item": opened}),
            ("response.function_call_arguments.delta", {**location, "delta": item["arguments"]}),
            ("response.function_call_arguments.done", {**location, "arguments": item["arguments"]}),
        ]
    else:
        (part,) = item["content"]
        opened = {**item, "content": [], "status": "in_progress"}
        at = {**location, "content_index": 0}
        events += [
            ("response.output_item.added", {"output_index": 0, "item": opened}),
            ("response.content_part.added", {**at, "part": {**part, "text": ""}}),
            ("response.output_text.delta", {**at, "delta": reply.text}),
            ("response.output_text.done", {**at, "text": reply.text}),
            ("response.content_part.done", {**at, "part": part}),
        ]
    events += [
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    for number, (kind, data) in enumerate(events):
        yield kind, {"type": kind, "sequence_number": number, **data}


def _read_anthropic(body: Body) -> Conversation:
    blocks = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    tools = [
        OfferedTool(
            tool["name"],
            tool["input_schema"],
            tool.get("strict") is True,
        )
        for tool in body.get("tools") or ()
        if "input_schema" in tool
    ]
    return Conversation(
        [(tool, check_anthropic) for tool in tools],
        [_text(block["content"]) for block in blocks if block["type"] == "tool_result"],
        _text(body["messages"]),
    )


def _anthropic_whole(body: Body, reply: Reply) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": reply.text}
    if reply.tool:
        block = {
            "type": "tool_use",
            "id": f"toolu_{reply.number}",
            "name": reply.tool,
            "input": dict(reply.arguments),
        }
    return {
        "id": f"msg_{reply.number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "model"),
        "content": [block],
        "stop_reason": "tool_use" if reply.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _anthropic_events(body: Body, reply: Reply) -> Iterable[Event]:
    whole = _anthropic_whole(body, reply)
    (block,) = whole["content"]
    begun: Body = {**whole, "content": [], "stop_reason": None}
    opened: Body = {**block, "input": {}} if reply.tool else {**block, "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": reply.arguments_json}
        if reply.tool
        else {"type": "text_delta", "text": reply.text}
    )
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events: Iterable[Event] = (
        ("message_start", {"message": begun}),
        ("content_block_start", {"index": 0, "content_block": opened}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": end, "usage": {"output_tokens": 5}}),
        ("message_stop", {}),
    )
    for kind, data in events:
        yield kind, {"type": kind, **data}


def _either(fields: Body, name: str, default: Any = None) -> Any:
    """Return a field by its name, which protocol buffers have with humps or with underscores."""
    underscored = re.sub("[A-Z]", lambda hump: f"_{hump[0].lower()}", name)
    return fields.get(name, fields.get(underscored, default))


def _gemini_tool(declared: Body) -> tuple[OfferedTool, Check]:
    schema = _either(declared, "parametersJsonSchema")
    check = check_gemini_name
    if schema is None:
        schema, check = declared.get("parameters", {"type": "OBJECT"}), check_gemini
    return OfferedTool(declared["name"], schema, is_strict=False), check


def _read_gemini(body: Body) -> Conversation:
    groups = body.get("tools") or ()
    parts = [part for content in body["contents"] for part in content.get("parts", ())]
    results = [_either(part, "functionResponse") for part in parts]
    return Conversation(
        [
            _gemini_tool(declared)
            for group in groups
            for declared in _either(group, "functionDeclarations", ())
        ],
        [_text(result["response"]) for result in results if result],
        _text(body["contents"]),
    )


def _gemini_whole(body: Body, reply: Reply) -> dict[str, Any]:
    part: dict[str, Any] = {"text": reply.text}
    if reply.tool:
        part = {"functionCall": {"name": reply.tool, "args": dict(reply.arguments)}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}


def _gemini_events(body: Body, reply: Reply) -> Iterable[Event]:
    yield "", _gemini_whole(body, reply)


CHAT: Final = Wire(_read_chat, _chat_whole, _chat_events)
RESPONSES: Final = Wire(_read_responses, _responses_whole, _responses_events)
ANTHROPIC: Final = Wire(_read_anthropic, _anthropic_whole, _anthropic_events)
GEMINI: Final = Wire(_read_gemini, _gemini_whole, _gemini_events)

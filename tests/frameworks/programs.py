"""The agent programs of the matrix, how each is started, and the record of how that went."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from scripts.locks import pins
from tests.clients.node_programs import newest_node
from tests.frameworks.install import LOCKS, NODE, is_fresh, node_is_fresh, python

DRIVERS: Final = Path(__file__).parent / "drivers"


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program that connects to a server and to a model.

    Attributes:
        name: For people.
        version: Of its package.
        command: What it is started with; `URL KEY MODEL PROMPT MODE` follow. Skips the test where
            its environment is missing.
        interface: Of the model that it speaks.
        mode: Given to its driver.
        expected_failure: Why it cannot pass, as the page has it; empty where it does.
    """

    name: str
    version: Callable[[], str]
    command: Callable[[], list[str]]
    interface: str
    mode: str = ""
    expected_failure: str = ""


def _python(environment: str, driver: str) -> Callable[[], list[str]]:
    def command() -> list[str]:
        if not is_fresh(environment):
            pytest.skip(f".venv-frameworks/{environment} is not installed (`make frameworks`)")
        return [str(python(environment)), "-P", str(DRIVERS / f"{driver}.py")]

    return command


def _locked(environment: str, package: str) -> Callable[[], str]:
    def version() -> str:
        return next(
            pin.version for pin in pins(LOCKS / f"{environment}.lock") if pin.name == package
        )

    return version


def _of(
    name: str, environment: str, interface: str, mode: str = "", *, package: str = ""
) -> Program:
    """Return a Python framework whose driver is called as its environment is."""
    driver = environment.replace("-", "_")
    return Program(
        name,
        _locked(environment, package or environment),
        _python(environment, driver),
        interface,
        mode,
    )


def _node(folder: str, driver: str) -> Callable[[], list[str]]:
    def command() -> list[str]:
        if not node_is_fresh(folder):
            by = f"`python -m tests.frameworks.install {folder}`"
            pytest.skip(f"tests/frameworks/{folder} is not installed ({by})")
        return [newest_node(), str(NODE / folder / f"{driver}.mjs")]

    return command


def _npm_version(folder: str, package: str) -> Callable[[], str]:
    def version() -> str:
        manifest = json.loads((NODE / folder / "package.json").read_text())
        return {**manifest["dependencies"], **manifest.get("optionalDependencies", {})}[package]

    return version


def _js(name: str, package: str, driver: str, interface: str, mode: str = "") -> Program:
    return Program(name, _npm_version("node", package), _node("node", driver), interface, mode)


def _command_line(
    name: str, package: str, driver: str, interface: str, *, folder: str = "command_lines"
) -> Program:
    return Program(name, _npm_version(folder, package), _node(folder, driver), interface)


_CHAT, _RESPONSES, _STRICT = "OpenAI chat", "OpenAI responses", "OpenAI responses, strict"
_ANTHROPIC, _GEMINI = "Anthropic", "Gemini"
_AGENTS: Final = "@openai/agents"
_LARGE: Final = "command_lines_large"

PROGRAMS: Final[Mapping[str, Program]] = {
    "openai-agents": _of("OpenAI Agents SDK (Python)", "openai-agents", _RESPONSES),
    "openai-agents-strict": _of("OpenAI Agents SDK (Python)", "openai-agents", _STRICT, "strict"),
    "openai-agents-chat": _of("OpenAI Agents SDK (Python)", "openai-agents", _CHAT, "chat"),
    "langchain": _of(
        "langchain-mcp-adapters (Python)", "langchain", _CHAT, package="langchain-mcp-adapters"
    ),
    "langchain-responses": _of(
        "langchain-mcp-adapters (Python)",
        "langchain",
        _RESPONSES,
        "responses",
        package="langchain-mcp-adapters",
    ),
    "pydantic-ai": _of("Pydantic AI", "pydantic-ai", _CHAT, package="pydantic-ai-slim"),
    "pydantic-ai-responses": _of(
        "Pydantic AI", "pydantic-ai", _RESPONSES, "responses", package="pydantic-ai-slim"
    ),
    "anthropic": _of("Anthropic SDK (Python), MCP helper", "anthropic", _ANTHROPIC),
    "google-adk": _of("Google ADK", "google-adk", _GEMINI),
    "llama-index": _of(
        "llama-index-tools-mcp", "llama-index", _CHAT, package="llama-index-tools-mcp"
    ),
    "semantic-kernel": _of("Semantic Kernel", "semantic-kernel", _CHAT),
    "autogen": _of("autogen-ext", "autogen", _CHAT, package="autogen-ext"),
    "agent-framework": _of(
        "Agent Framework", "agent-framework", _CHAT, package="agent-framework-core"
    ),
    "agent-framework-responses": _of(
        "Agent Framework",
        "agent-framework",
        _RESPONSES,
        "responses",
        package="agent-framework-core",
    ),
    "strands": _of("Strands Agents", "strands", _CHAT, package="strands-agents"),
    "haystack": _of("mcp-haystack", "haystack", _CHAT, package="mcp-haystack"),
    "agno": _of("Agno", "agno", _CHAT),
    "litellm": _of("LiteLLM", "litellm", _CHAT),
    "litellm-anthropic": _of("LiteLLM", "litellm", _ANTHROPIC, "anthropic"),
    "litellm-gemini": _of("LiteLLM", "litellm", _GEMINI, "gemini"),
    "dspy": _of("DSPy", "dspy", "OpenAI chat, tools named in text"),
    "camel": _of("CAMEL", "camel", "OpenAI chat, strict", package="camel-ai"),
    "smolagents": _of("smolagents", "smolagents", _CHAT),
    "mcp-use": replace(
        _of("mcp-use (Python)", "mcp-use", _CHAT),
        expected_failure="no: it makes tools of resources under their names too, and that of the view sponsor-top"
        " takes the place of the tool sponsor_top",
    ),
    "js-openai-agents": _js("OpenAI Agents SDK (JavaScript)", _AGENTS, "openai_agents", _RESPONSES),
    "js-openai-agents-strict": _js(
        "OpenAI Agents SDK (JavaScript)", _AGENTS, "openai_agents", _STRICT, "strict"
    ),
    "js-openai-agents-chat": _js(
        "OpenAI Agents SDK (JavaScript)", _AGENTS, "openai_agents", _CHAT, "chat"
    ),
    "js-langchain": _js(
        "langchain-mcp-adapters (JavaScript)", "@langchain/mcp-adapters", "langchain", _CHAT
    ),
    "js-ai-sdk": _js("AI SDK, @ai-sdk/mcp", "@ai-sdk/mcp", "ai_sdk", _RESPONSES, "responses"),
    "js-ai-sdk-chat": _js("AI SDK, @ai-sdk/mcp", "@ai-sdk/mcp", "ai_sdk", _CHAT, "chat"),
    "js-ai-sdk-anthropic": _js(
        "AI SDK, @ai-sdk/mcp", "@ai-sdk/mcp", "ai_sdk", _ANTHROPIC, "anthropic"
    ),
    "js-ai-sdk-gemini": _js("AI SDK, @ai-sdk/mcp", "@ai-sdk/mcp", "ai_sdk", _GEMINI, "gemini"),
    "js-mastra": _js("Mastra, @mastra/mcp", "@mastra/mcp", "mastra", _CHAT),
    "claude-code": _command_line(
        "Claude Code", "@anthropic-ai/claude-code", "claude_code", _ANTHROPIC, folder=_LARGE
    ),
    "codex": _command_line("Codex", "@openai/codex", "codex", _RESPONSES, folder=_LARGE),
    "gemini-cli": _command_line("Gemini CLI", "@google/gemini-cli", "gemini_cli", _GEMINI),
    "opencode": _command_line("opencode", "opencode-linux-x64", "opencode", _CHAT),
    "copilot": _command_line("Copilot CLI", "@github/copilot", "copilot", _CHAT),
    "qwen-code": _command_line("Qwen Code", "@qwen-code/qwen-code", "qwen_code", _CHAT),
    "continue": _command_line("Continue CLI", "@continuedev/cli", "continue_cli", _CHAT),
}
"""By key. Left out are CrewAI, whose environment takes 835 MB, and mcp-use for npm, which has no agent and no client any more."""


def rows(results: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what is recorded of the programs that took part, in the order of the table."""
    return [
        {
            "name": program.name,
            "version": program.version(),
            "interface": program.interface,
            "result": results[key],
        }
        for key, program in PROGRAMS.items()
        if key in results
    ]

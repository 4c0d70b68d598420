"""Replies to DSPy, which has the model name tools and arguments in marked fields of its text."""

from __future__ import annotations

import json

from tests.frameworks.invented_arguments import LIMIT


def reply_in_text(conversation: str, tool: str, sentence: str) -> str:
    """Return the reply, empty where the conversation is not of this kind.

    Args:
        conversation: All that was said.
        tool: The tool to call while there is no sentence.
        sentence: What the model answers in the end; empty before the tool has been called.
    """
    if _mark("next_tool_name") in conversation:
        arguments = {} if sentence else {"limit": LIMIT}
        return _fields(
            next_thought="It is known." if sentence else "The tool knows.",
            next_tool_name="finish" if sentence else tool,
            next_tool_args=json.dumps(arguments),
        )
    if _mark("answer") in conversation:
        return _fields(reasoning="The tool said so.", answer=sentence)
    return ""


def _fields(**values: str) -> str:
    return "\n\n".join(f"{_mark(name)}\n{value}" for name, value in values.items())


def _mark(name: str) -> str:
    return f"[[ ## {name} ## ]]"

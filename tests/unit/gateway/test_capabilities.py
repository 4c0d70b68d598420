"""The input that a client can be asked for, by its declared capabilities."""

from typing import Any

import pytest

from gateway.mcp.capabilities import declared, recalled, remembered


@pytest.mark.parametrize(
    ("capabilities", "kinds"),
    [
        ({}, ""),
        ({"elicitation": {}}, "elicitation"),
        ({"elicitation": {"form": {}}}, "elicitation"),
        ({"elicitation": {"form": {}, "url": {}}}, "elicitation"),
        ({"elicitation": {"url": {}}}, ""),
        ({"elicitation": {"applyDefaults": True}}, "elicitation"),
        ({"sampling": {"tools": {}}, "roots": {"listChanged": True}}, "sampling roots"),
        ({"sampling": None, "roots": True, "elicitation": "form"}, ""),
        ({"experimental": {"elicitation": {}}}, ""),
    ],
)
def test_declared_is_what_the_protocol_has_clients_declare(
    capabilities: dict[str, Any], kinds: str
) -> None:
    assert declared(capabilities) == set(kinds.split())
    assert recalled(remembered(capabilities), "2025-11-25") == set(kinds.split())


def test_no_name_of_a_capability_passes_for_what_is_remembered() -> None:
    assert recalled(("elicitation", "sampling"), "2025-11-25") == set()


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26"])
def test_forms_are_not_shown_before_the_protocol_has_them(revision: str) -> None:
    names = remembered({"elicitation": {}, "sampling": {}})
    assert recalled(names, revision) == {"sampling"}

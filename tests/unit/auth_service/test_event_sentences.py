"""Events of the audit log are sentences."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from auth_service.domain.ports import AuditEvent
from auth_service.web import event_sentences
from auth_service.web.event_sentences import actor_of, sentence_of

ROOT: Final = Path(__file__).parents[3]


def event(name: str, detail: str = "", actor: str = "owner") -> AuditEvent:
    return AuditEvent(datetime(2026, 1, 1, tzinfo=UTC), name, "acc", actor, detail)


NAMES: Final = {"key_1": "“nightly”", "free": "Free", "creator": "Creator"}


@pytest.mark.parametrize(
    ("name", "detail", "sentence"),
    [
        ("logged_in", "by password from 8.8.8.8", "Logged in by password from 8.8.8.8."),
        ("key_created", "key_1", "The API key “nightly” was created."),
        ("key_revoked", "key_2", "The API key key_2 was revoked."),
        ("plan_changed", "free to creator", "The plan was changed from Free to Creator."),
        ("account_created", "creator", "The account was created on the plan Creator."),
        ("plan_changed", "former to free", "The plan was changed from former to Free."),
        ("member_invited", "a@example.com", "a@example.com was invited."),
        ("of_a_later_release", "x", "Of a later release: x."),
        ("of_a_later_release", "", "Of a later release."),
    ],
)
def test_an_event_is_a_sentence_with_names(name: str, detail: str, sentence: str) -> None:
    assert sentence_of(event(name, detail), NAMES) == sentence


@pytest.mark.parametrize("name", sorted(vars(event_sentences)["_SENTENCES"]))
def test_a_sentence_without_detail_has_no_gap(name: str) -> None:
    sentence = sentence_of(event(name), {})
    assert sentence.endswith(".")
    assert not re.search(r"  |\(\)| [.:,]|\{", sentence), sentence


def test_every_event_that_the_code_names_has_a_sentence() -> None:
    recorded = re.compile(
        r'(?:record_event|AuditEvent|_audit|self\._event)\((?:[^()"]|\([^()]*\))*"([a-z_]+)"'
    )
    names = {
        name
        for path in (ROOT / "auth_service").rglob("*.py")
        for name in recorded.findall(path.read_text())
    } - {"owner", "oauth", "client_registered", "signing_key_rotated"}
    assert names <= set(vars(event_sentences)["_SENTENCES"])
    assert len(names) > 25


def test_who_did_it_is_in_words() -> None:
    assert actor_of(event("x")) == "you"
    assert actor_of(event("x", actor="a@example.com")) == "a@example.com"

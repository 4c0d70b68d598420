"""Vouching for clients: the claims of a document that are trusted, and those that are not."""

from __future__ import annotations

from typing import Any

import pytest

from auth_service.domain.oauth import client_documents, registration
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.vouching import Vouching, vouching

PUBLISHERS = frozenset({"claude.ai"})


def documented(client_id: str = "https://app.example/c", **changes: Any) -> Client:
    metadata = registration.parse_client_metadata(
        {
            "client_name": "Claude",
            "client_uri": "https://app.example/",
            "redirect_uris": ["https://app.example/cb"],
            **changes,
        }
    )
    return Client(client_id, "document", metadata)


def test_a_host_vouches_for_what_is_its_own_in_every_respect() -> None:
    found = vouching(documented(), PUBLISHERS)
    assert found == Vouching("host", "app.example")
    assert found.is_verified
    assert not found.is_name_checked


@pytest.mark.parametrize(
    "changes",
    [
        {"client_uri": "https://claude.ai/"},
        {"client_uri": "https://www.app.example/"},
        {"client_uri": None},
        {"client_uri": "http://app.example/"},
        {"redirect_uris": ["https://other.example/cb"]},
        {"redirect_uris": ["https://app.example/cb", "https://other.example/cb"]},
        {"redirect_uris": ["https://app.example.evil.example/cb"]},
        {"redirect_uris": ["http://127.0.0.1/cb"]},
        {"redirect_uris": ["https://app.example/cb", "http://localhost/cb"]},
        {"redirect_uris": ["cursor://app.example/cb"]},
        {"redirect_uris": [], "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"],
         "client_uri": None},
    ],
)  # fmt: skip
def test_a_document_of_which_anything_is_elsewhere_is_not_verified(changes: dict[str, Any]) -> None:
    found = vouching(documented(**changes), PUBLISHERS)
    assert found == Vouching("nobody", "app.example")
    assert not found.is_verified


@pytest.mark.parametrize("client_id", list(client_documents.PINNED))
def test_the_operators_publishers_are_believed_about_names_and_redirects(client_id: str) -> None:
    metadata = client_documents.pinned_metadata(client_id)
    assert metadata is not None
    hosts = {"claude.ai", "chatgpt.com", "vscode.dev"}
    assert vouching(Client(client_id, "document", metadata), hosts).is_name_checked
    assert not vouching(Client(client_id, "document", metadata), ()).is_verified


@pytest.mark.parametrize("host", ["claude.ai.evil.example", "www.claude.ai", "evil-claude.ai"])
def test_a_host_that_looks_like_a_publishers_is_not_one(host: str) -> None:
    assert not vouching(documented(f"https://{host}/c"), PUBLISHERS).is_verified


def test_nobody_vouches_for_a_registration_and_the_operator_for_machines() -> None:
    metadata = documented().metadata
    assert vouching(Client("client_1", "registration", metadata), PUBLISHERS).by == "nobody"
    assert vouching(Client("machine_1", "operator", metadata), PUBLISHERS).is_name_checked

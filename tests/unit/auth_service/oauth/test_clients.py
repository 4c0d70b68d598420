"""Client metadata from registration and from metadata documents."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.oauth import client_documents, registration
from auth_service.domain.oauth.registration import InvalidClientMetadata
from servicekit.errors import InvalidInput
from tests.fakes.view_results import DIRECTION_MARKS

CURSOR = {
    "client_name": "Cursor",
    "redirect_uris": [
        "http://localhost:8787/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
    "token_endpoint_auth_method": "none",
}
DOCUMENT_URL = "https://app.example/oauth/client.json"
DOCUMENT: dict[str, Any] = {
    "client_id": DOCUMENT_URL,
    "client_name": "Example",
    "redirect_uris": ["https://app.example/cb"],
}


def test_three_redirect_uris_of_three_kinds_register_together() -> None:
    metadata = registration.parse_client_metadata(CURSOR)
    assert len(metadata.redirect_uris) == 3
    assert metadata.grant_types == ("authorization_code", "refresh_token")


def test_unknown_grants_and_fields_are_left_out() -> None:
    metadata = registration.parse_client_metadata(
        {**CURSOR, "grant_types": ["authorization_code", "implicit", "jwt-bearer"], "x": 1}
    )
    assert metadata.grant_types == ("authorization_code",)


def test_the_same_metadata_has_the_same_fingerprint() -> None:
    first = registration.parse_client_metadata(CURSOR).fingerprint()
    assert registration.parse_client_metadata(dict(reversed(CURSOR.items()))).fingerprint() == first
    assert (
        registration.parse_client_metadata({**CURSOR, "client_name": "Other"}).fingerprint()
        != first
    )


@pytest.mark.parametrize(
    "change",
    [
        {"redirect_uris": []},
        {"redirect_uris": "https://a.example/cb"},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": [f"https://a.example/{n}" for n in range(11)]},
        {"grant_types": ["implicit"]},
        {"token_endpoint_auth_method": "tls_client_auth"},
        {"scope": ["catalog:read"]},
    ],
)
def test_an_unsupported_value_is_refused_by_field(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as raised:
        registration.parse_client_metadata({**CURSOR, **change})
    assert "redirect" in str(raised.value) or next(iter(change)) in str(raised.value)


def test_a_name_cannot_turn_its_reader_around() -> None:
    assert registration.display_name("Cl\u202eaude\n\x00 \u2066AI") == "Claude AI"
    assert registration.display_name(f"Cl{DIRECTION_MARKS}aude") == "Claude"
    assert len(registration.display_name("x" * 500)) == registration.MAX_NAME


def test_a_client_without_a_name_is_called_by_its_host() -> None:
    metadata = registration.parse_client_metadata({"redirect_uris": ["https://a.example/cb"]})
    assert metadata.client_name == "a.example"


@pytest.mark.parametrize("client_id", list(client_documents.PINNED))
def test_the_copies_of_big_clients_hold(client_id: str) -> None:
    assert client_documents.is_document_url(client_id)
    metadata = client_documents.pinned_metadata(client_id)
    assert metadata is not None
    assert metadata.token_endpoint_auth_method == "none"


def test_a_document_speaks_for_its_own_url_alone() -> None:
    assert client_documents.parse_document(DOCUMENT_URL, DOCUMENT).client_name == "Example"
    with pytest.raises(InvalidClientMetadata, match="another"):
        client_documents.parse_document("https://evil.example/x", DOCUMENT)


def test_a_document_that_prefers_keys_but_lists_none_is_accepted() -> None:
    document = {
        **DOCUMENT,
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "none"],
    }
    assert (
        client_documents.parse_document(DOCUMENT_URL, document).token_endpoint_auth_method == "none"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"client_name": ""},
        {"client_secret": "s"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"redirect_uris": ["http://example.com/cb"]},
    ],
)
def test_an_unfit_document_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        client_documents.parse_document(DOCUMENT_URL, {**DOCUMENT, **change})


@pytest.mark.parametrize(
    "client_id",
    [
        "http://app.example/c",
        "https://app.example",
        "https://app.example/",
        "https://app.example:8443/c",
        "https://u@app.example/c",
        "https://app.example/c#f",
        "https://app.example/a/../c",
        "client_abc",
        "https://[bad/c",
        "https://evil.example[::1]/c",
        "https://app.example\\.evil.example/c",
        "https://app.example/c\\d",
        "https://app.example/c d",
        "https://app.example/c\u00e9",
        "https://app%2eexample/c",
        "https://app.example/" + "c" * 2000,
    ],
)
def test_only_plain_https_urls_with_a_path_are_document_ids(client_id: str) -> None:
    assert not client_documents.is_document_url(client_id)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.dictionaries(st.sampled_from([*CURSOR, "grant_types", "scope", "client_uri"]), json_values)
)
def test_any_metadata_is_accepted_or_refused_with_a_reason(document: dict[str, Any]) -> None:
    with contextlib.suppress(InvalidInput):
        assert registration.parse_client_metadata(document).grant_types

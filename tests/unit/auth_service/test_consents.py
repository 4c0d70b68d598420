"""A remembered consent is to one client's metadata, one redirect URI and these scopes."""

from dataclasses import replace
from typing import Final

from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.registration import parse_client_metadata
from auth_service.domain.oauth.vouching import Vouching
from auth_service.domain.site.consents import fingerprint

CALLBACK: Final = "https://app.example/callback"
SCOPES: Final = ("catalog:read", "account:read")
CLIENT: Final = Client(
    "https://app.example/client.json",
    "document",
    parse_client_metadata({"client_name": "App", "redirect_uris": [CALLBACK, f"{CALLBACK}/2"]}),
)
VOUCHED: Final = Vouching("host", "app.example")


def test_a_consent_is_remembered_whatever_the_order_of_its_scopes() -> None:
    remembered = fingerprint(CLIENT, VOUCHED, CALLBACK, SCOPES)
    assert remembered is not None
    assert fingerprint(CLIENT, VOUCHED, CALLBACK, SCOPES[::-1]) == remembered


def test_a_consent_is_to_nothing_but_what_was_shown() -> None:
    renamed = replace(CLIENT, metadata=replace(CLIENT.metadata, client_name="Another"))
    other = replace(CLIENT, client_id="https://app.example/other.json")
    found = [
        fingerprint(CLIENT, VOUCHED, CALLBACK, SCOPES),
        fingerprint(renamed, VOUCHED, CALLBACK, SCOPES),
        fingerprint(other, VOUCHED, CALLBACK, SCOPES),
        fingerprint(CLIENT, VOUCHED, f"{CALLBACK}/2", SCOPES),
        fingerprint(CLIENT, VOUCHED, CALLBACK, (*SCOPES, "channels:import")),
    ]
    assert len(set(found)) == len(found)


def test_no_consent_is_remembered_that_nobody_vouches_for_or_that_stays_on_the_machine() -> None:
    assert fingerprint(CLIENT, Vouching("nobody"), CALLBACK, SCOPES) is None
    assert fingerprint(CLIENT, VOUCHED, "http://127.0.0.1/callback", SCOPES) is None

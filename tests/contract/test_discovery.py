"""The registry's entry, the server card and the catalog have the shapes that their readers take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from gateway.mcp.server_info import ServerInfo
from gateway.mcp.versions import SUPPORTED
from gateway.web.server_card import ServerCard
from scripts import gen_registry

SCHEMAS: Final = Path(__file__).parent / "discovery_schemas"
SITE: Final = "https://site.example"


def check(schema: str, document: Any) -> None:
    shape = json.loads((SCHEMAS / f"{schema}.json").read_text())
    Draft202012Validator.check_schema(shape)
    validator: Any = Draft202012Validator(shape)
    validator.validate(json.loads(json.dumps(document)))


def card(base_url: str) -> ServerCard:
    return ServerCard(ServerInfo("1.2.3", SITE), base_url)


def test_the_registrys_entry_is_generated_and_of_this_version() -> None:
    entry = json.loads(gen_registry.ENTRY.read_text())
    check("registry_entry", entry)
    assert entry == gen_registry.entry(gen_registry.EXAMPLE, gen_registry.EXAMPLE)
    assert entry["version"] == gen_registry.project_version()


def test_an_operator_gets_an_entry_for_their_own_origin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    origins = ["https://mcp.acme.com", "https://acme.com"]
    monkeypatch.setattr("sys.argv", ["gen_registry", *origins])
    assert gen_registry.main() == 0
    entry = json.loads(capsys.readouterr().out)
    check("registry_entry", entry)
    assert entry["name"] == "com.acme.mcp/sponsorgraph"
    assert entry["websiteUrl"] == "https://acme.com"
    assert [remote["url"] for remote in entry["remotes"]] == ["https://mcp.acme.com/mcp"]


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://sponsorgraph.example.com", "com.example.sponsorgraph/sponsorgraph"),
        ("http://localhost:8000", "localhost/sponsorgraph"),
        ("http://127.0.0.1:8000", "127.0.0.1/sponsorgraph"),
        ("http://[::1]:8000", "--1/sponsorgraph"),
    ],
)
def test_a_card_names_the_service_by_its_host_in_reverse(base_url: str, name: str) -> None:
    document = card(base_url).document
    check("server_card", document)
    assert document["name"] == name
    assert document["websiteUrl"] == SITE
    (remote,) = document["remotes"]
    assert remote["url"] == f"{base_url}/mcp"
    assert remote["supportedProtocolVersions"] == SUPPORTED


def test_the_catalog_leads_to_the_card() -> None:
    catalog = card("https://mcp.acme.com").catalog
    check("catalog", catalog)
    (entry,) = catalog["entries"]
    assert entry["identifier"] == "urn:air:mcp.acme.com:sponsorgraph"
    assert entry["url"] == "https://mcp.acme.com/mcp/server-card"

"""Both edges send to the gateways what the gateways serve to the public."""

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gateway.web.server_card import CATALOG_PATH, PATHS

DEPLOY: Final = Path(__file__).parents[3] / "deploy"
PUBLIC: Final = (
    "/mcp",
    *PATHS,
    CATALOG_PATH,
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
)
OF_THE_SITE: Final = ("/", "/account", "/.well-known/oauth-authorization-server", "/mcpx")


def by_caddy(path: str) -> bool:
    """Return whether the edge of compose sends the path to a gateway."""
    found = re.search(r"@gateway path (.+)", (DEPLOY / "compose" / "Caddyfile").read_text())
    assert found
    return any(fnmatch(path, pattern) for pattern in found[1].split())


def by_ingress(path: str) -> bool:
    """Return whether the ingress sends the path to a gateway: the longest prefix of whole segments decides."""
    file = DEPLOY / "kubernetes" / "overlays" / "production" / "ingress.yaml"
    paths: list[dict[str, Any]] = yaml.safe_load(file.read_text())["spec"]["rules"][0]["http"][
        "paths"
    ]
    assert {item["pathType"] for item in paths} == {"Prefix"}
    fitting = [item for item in paths if f"{path}/".startswith(item["path"].rstrip("/") + "/")]
    longest = max(fitting, key=lambda item: len(item["path"]))
    return longest["backend"]["service"]["name"] == "gateway"


@pytest.mark.parametrize("edge", [by_caddy, by_ingress])
def test_the_gateways_get_their_paths_and_no_others(edge: Any) -> None:
    assert {path for path in PUBLIC if not edge(path)} == set()
    assert {path for path in OF_THE_SITE if edge(path)} == set()


def test_the_edge_holds_no_connection_that_a_service_may_end_while_a_request_is_sent() -> None:
    """And asks no list of addresses from a while ago: a request with a body is sent once."""
    text = (DEPLOY / "compose" / "Caddyfile").read_text()
    begin = text.index("(replicas) {")
    replicas = text[begin : text.index("\n}\n", begin)]
    assert "\treverse_proxy {args.0}:{args.1} {" in replicas
    assert "\t\t\tkeepalive off\n" in replicas
    assert "dynamic" not in replicas


def test_the_edge_logs_requests_without_their_queries_and_the_targets_of_redirects() -> None:
    text = (DEPLOY / "compose" / "Caddyfile").read_text()
    log = text[text.index("\tlog {") :]
    for filtered in (r"request>uri regexp \?.*", "resp_headers>Location delete"):
        assert filtered in log


def test_errors_of_the_edge_have_a_body_an_id_and_a_time_to_come_again() -> None:
    text = (DEPLOY / "compose" / "Caddyfile").read_text()
    errors = text[text.index("\thandle_errors {") :]
    assert "header X-Request-Id {http.request.uuid}" in errors
    assert "header Retry-After 5" in errors
    assert re.search(
        r'respond `\{"jsonrpc":"2\.0","error":\{"code":503,.*"request_id".*` 503', errors
    )
    assert re.search(r'respond "Sponsorgraph does not respond now\..*" 503', errors)

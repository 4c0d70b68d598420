"""Both edges send to the gateways what the gateways serve to the public."""

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gateway.web.server_card import CATALOG_PATH, PATHS
from servicekit.http.server import KEEP_ALIVE_SECONDS

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


def test_the_edge_ends_idle_connections_to_the_services_before_they_do() -> None:
    """Else a request would meet the end of its connection now and then, and could not be repeated."""
    found = re.search(r"keepalive (\d+)m", (DEPLOY / "compose" / "Caddyfile").read_text())
    assert found
    assert int(found[1]) * 60 < KEEP_ALIVE_SECONDS

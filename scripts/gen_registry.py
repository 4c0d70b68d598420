"""Writes deploy/registry/server.json, the service's entry in the MCP registry, for an example host.

`python -m scripts.gen_registry https://mcp.acme.com https://acme.com` prints the entry of a service
at that origin with its site at the other one. `--check` writes nothing and fails if the file is not
what it would write.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

from gateway.mcp.server_info import ServerInfo
from gateway.web.server_card import ServerCard

ROOT: Final = Path(__file__).resolve().parent.parent
ENTRY: Final = ROOT / "deploy" / "registry" / "server.json"
SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
EXAMPLE: Final = "https://sponsorgraph.example.com"
_SHARED: Final = ("name", "title", "description", "version", "websiteUrl")


def project_version() -> str:
    """The version in pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["version"]


def entry(base_url: str, site_url: str) -> dict[str, Any]:
    """The entry: the server card without what the registry's format has no place for."""
    card = ServerCard(ServerInfo(project_version(), site_url), base_url).document
    shared = {field: card[field] for field in _SHARED}
    fields = ("type", "url", "headers")
    remotes = [{field: remote[field] for field in fields} for remote in card["remotes"]]
    return {"$schema": SCHEMA, **shared, "remotes": remotes}


def text(base_url: str, site_url: str) -> str:
    return json.dumps(entry(base_url, site_url), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    urls = [item for item in sys.argv[1:] if item != "--check"]
    if urls:
        print(text(urls[0], urls[-1]), end="")
        return 0
    wanted = text(EXAMPLE, EXAMPLE)
    if ENTRY.exists() and ENTRY.read_text() == wanted:
        return 0
    if "--check" in sys.argv:
        print(f"{ENTRY.relative_to(ROOT)} is not fresh: run `make gen`")
        return 1
    ENTRY.parent.mkdir(parents=True, exist_ok=True)
    ENTRY.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A client that knows only stdio takes the steps through mcp-remote: `NODE URL KEY STEP…`."""

import os
import sys

import anyio
from mcp import StdioServerParameters

from tests.clients.node_programs import FOLDER
from tests.clients.python_sdk2 import steps_over


async def main(node: str, url: str, key: str, *steps: str) -> None:
    program = str(FOLDER / "node_modules" / "mcp-remote" / "dist" / "proxy.js")
    header = ["--allow-http", "--header", f"Authorization: Bearer {key}"]
    proxy = StdioServerParameters(command=node, args=[program, url, *header], env=dict(os.environ))
    await steps_over(proxy, "legacy", steps)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])

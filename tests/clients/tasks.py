"""Drives the official client library for tasks, tests/clients/node/tasks.mjs."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Literal

import pytest

from tests.clients.node_programs import FOLDER, modern_node


async def run_task(
    url: str,
    key: str,
    action: Literal["follow", "cancel", "leave", "resume"],
    arguments: Mapping[str, Any],
) -> Any:
    """Imports a channel as a task and does `action` with it; gives what the library saw.

    `arguments` are the tool's arguments, and to resume what "leave" gave.
    """
    node = modern_node()
    if not (FOLDER / "node_modules/@modelcontextprotocol/ext-tasks").exists():
        pytest.skip("ext-tasks is not installed (.ci/run installs it)")
    running = await asyncio.create_subprocess_exec(
        *(
            node,
            str(FOLDER / "tasks.mjs"),
            url,
            key,
            action,
            "channel.import",
            json.dumps(arguments),
        ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, complaints = await running.communicate()
    assert running.returncode == 0, complaints.decode()
    return json.loads(printed)

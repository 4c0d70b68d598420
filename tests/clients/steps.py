"""The steps that a client of the matrix is asked to take, whatever its library calls them.

A client's script is started with `URL KEY STEP…`. It connects, takes the steps and prints a line of
JSON for each: `{"step": name, "seen": what its user would see}`. The arguments are in requests.json,
which the scripts in node read too.
"""

import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import anyio

REQUESTS: dict[str, Any] = json.loads((Path(__file__).parent / "requests.json").read_text())

OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Takes the progress of a call: how far, of how much, in words."""


class Capable(Protocol):
    """The calls of a connected client. Each raises what its library raises."""

    async def tools(self) -> list[str]:
        """The names of the tools."""
        ...

    async def call(
        self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None
    ) -> str:
        """The text of the response or of the failure in it."""
        ...

    async def read(self, uri: str) -> str:
        """The text of a resource."""
        ...

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        """The text of a prompt's first message."""
        ...

    async def complete(self, prompt: str, argument: str, typed: str) -> list[str]:
        """Return the completions of a prompt's argument."""
        ...


async def perform(client: Capable, steps: Sequence[str]) -> None:
    """Takes the steps; what a library raises is what its user sees."""
    for step in steps:
        try:
            seen = await _seen(client, step)
        except Exception as error:  # noqa: BLE001 - each library has its own
            seen = str(error)
        report(step, seen)


def report(step: str, seen: object) -> None:
    """Prints what a step led to."""
    sys.stdout.write(json.dumps({"step": step, "seen": seen}) + "\n")
    sys.stdout.flush()


async def _seen(client: Capable, step: str) -> object:  # noqa: PLR0911 - a table of steps
    match step:
        case "tools":
            return await client.tools()
        case "read":
            return await client.read(REQUESTS["read"])
        case "prompt":
            return await client.prompt(*REQUESTS["prompt"])
        case "complete":
            return await client.complete(*REQUESTS["complete"])
        case "progress":
            return await _progress(client)
        case "cancel":
            return await _cancel(client)
        case _:
            return await client.call(*REQUESTS[step])


async def _progress(client: Capable) -> list[float]:
    """Return the progress that the call reported, each time."""
    progress: list[float] = []

    async def on_progress(done: float, _total: float | None, _message: str | None) -> None:
        progress.append(done)

    await client.call(*REQUESTS["progress"], on_progress)
    return progress


async def _cancel(client: Capable) -> str:
    """Cancels a call that would not end by itself, once it has told of its progress."""
    with anyio.CancelScope() as scope:

        async def on_progress(_done: float, _total: float | None, _message: str | None) -> None:
            scope.cancel()

        await client.call(*REQUESTS["cancel"], on_progress)
    return "cancelled" if scope.cancelled_caught else "not cancelled"

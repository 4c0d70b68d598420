"""The operator's command against a service that runs in the same process, and logs to the same terminal."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import Any

from typer.testing import CliRunner, Result

from cli.app import cli
from tests.fakes.peers import TOKEN as GRPC_TOKEN
from tests.integration.auth_service.conftest import TOKEN, Service


def json_of(result: Result) -> Any:
    """Return the JSON that a command printed; lines of the service's log may stand around it."""
    begin = re.search(r"^[\[{]", result.stdout, re.MULTILINE)
    assert begin is not None, result.output
    return json.JSONDecoder().raw_decode(result.stdout, begin.start())[0]


@dataclass(frozen=True, slots=True)
class OperatorCommand:
    """`sponsorgraph` as an operator of a service calls it from another machine."""

    service: Service

    async def run(
        self, *command: str, token: str = TOKEN, name: str = "olga@desk", typed: str | None = None
    ) -> Result:
        environment = {
            "SPONSORGRAPH_AUTH_GRPC": self.service.target,
            "SPONSORGRAPH_OPERATOR_TOKEN": token,
            "SPONSORGRAPH_OPERATOR_NAME": name,
            "SPONSORGRAPH_GRPC_TOKEN": GRPC_TOKEN,
            "COLUMNS": "200",
        }
        runner = CliRunner()
        return await asyncio.to_thread(runner.invoke, cli, command, env=environment, input=typed)

    async def json(self, *command: str) -> Any:
        """Run a command that has to succeed with `--json`, and return what it printed."""
        result = await self.run(*command, "--json")
        assert result.exit_code == 0, result.output
        return json_of(result)

    async def events(self, account: str) -> list[dict[str, Any]]:
        """Return the events of an account, newest first."""
        return await self.json("audit", "list", "--account", account)

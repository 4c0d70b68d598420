"""curl takes the steps of the matrix: bare JSON-RPC, as in a shell script. `URL KEY STEP…`."""

import json
import subprocess
import sys
from collections.abc import Generator
from typing import Any

from tests.clients.steps import REQUESTS, report

_EVENT = "data: "


def main(url: str, key: str, *steps: str) -> None:
    for step in steps:
        report(step, _seen([url, "-H", f"Authorization: Bearer {key}"], step))


def _seen(address: list[str], step: str) -> object:  # noqa: PLR0911 - a table of steps
    match step:
        case "tools":
            tools = _call(address, "tools/list")["tools"]
            return [tool["name"] for tool in tools]
        case "read":
            read = _call(address, "resources/read", uri=REQUESTS["read"])
            return read["contents"][0]["text"]
        case "prompt":
            name, arguments = REQUESTS["prompt"]
            got = _call(address, "prompts/get", name=name, arguments=arguments)
            return got["messages"][0]["content"]["text"]
        case "complete":
            name, argument, typed = REQUESTS["complete"]
            ref = {"type": "ref/prompt", "name": name}
            completed = {"name": argument, "value": typed}
            completed = _call(address, "completion/complete", ref=ref, argument=completed)
            return completed["completion"]["values"]
        case "progress":
            return list(_progress(address, step))
        case "cancel":
            # Leaving is all that a script can do: closing the generator ends curl.
            progress = _progress(address, step)
            next(progress)
            progress.close()
            return "cancelled"
        case _:
            name, arguments = REQUESTS[step]
            response = _call(address, "tools/call", name=name, arguments=arguments)
            return response["message"] if "message" in response else response["content"][0]["text"]


def _call(address: list[str], method: str, **params: Any) -> Any:
    """The result, or the error, of one request."""
    command = ["curl", "--silent", *address, "--json", _request(method, params)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    response = json.loads(done.stdout)
    return response.get("result") or response["error"]


def _progress(address: list[str], step: str) -> Generator[float]:
    """The progress that a call tells; what it answers ends it."""
    name, arguments = REQUESTS[step]
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": 1}}
    both = ["-H", "Accept: application/json, text/event-stream"]
    command = [
        "curl",
        "--silent",
        "--no-buffer",
        *address,
        "--json",
        _request("tools/call", params),
    ]
    with subprocess.Popen([*command, *both], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout
            for line in running.stdout:
                if line.startswith(_EVENT) and '"notifications/progress"' in line:
                    yield json.loads(line.removeprefix(_EVENT))["params"]["progress"]
        finally:
            running.terminate()


def _request(method: str, params: dict[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


if __name__ == "__main__":
    main(*sys.argv[1:])

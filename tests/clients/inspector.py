"""The Inspector's command line takes the steps of the matrix, a run for each: `NODE URL KEY STEP…`.

It shows no progress, has no completions, and is cancelled by ending it.
"""

import json
import subprocess
import sys
from typing import Any

from tests.clients.node_programs import FOLDER
from tests.clients.steps import REQUESTS, report


def main(node: str, url: str, key: str, *steps: str) -> None:
    program = str(FOLDER / "node_modules" / ".bin" / "mcp-inspector")
    command = [node, program, "--cli", url, "--transport", "http", "--format", "json"]
    command += ["--header", f"Authorization: Bearer {key}"]
    for step in steps:
        run = [*command, *_arguments(step)]
        done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
        report(step, _shown(json.loads(done.stdout)) if done.stdout else done.stderr)


def _arguments(step: str) -> list[str]:
    match step:
        case "tools":
            return ["--method", "tools/list"]
        case "read":
            return ["--method", "resources/read", "--uri", REQUESTS["read"]]
        case "prompt":
            name, arguments = REQUESTS["prompt"]
            pairs = [f"{key}={value}" for key, value in arguments.items()]
            return ["--method", "prompts/get", "--prompt-name", name, "--prompt-args", *pairs]
        case _:
            name, arguments = REQUESTS[step]
            arguments_json = ["--tool-args-json", json.dumps(arguments)]
            return ["--method", "tools/call", "--tool-name", name, *arguments_json]


def _shown(printed: dict[str, Any]) -> object:
    result = printed.get("result", printed)
    if "tools" in result:
        return [tool["name"] for tool in result["tools"]]
    if "contents" in result:
        return result["contents"][0]["text"]
    if "messages" in result:
        return result["messages"][0]["content"]["text"]
    return result["content"][0]["text"]


if __name__ == "__main__":
    main(*sys.argv[1:])

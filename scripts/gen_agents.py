"""Writes the lists of tools that agents read (servicekit/agents) from the tools themselves.

`--check` writes nothing and fails if a file is not what it would write.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gateway.tools import Tool, all_tools
from scripts.gen_tools import allowed

_ROOT: Final = Path(__file__).resolve().parent.parent
_FOLDER: Final = _ROOT / "servicekit" / "agents"
_INTRODUCTION: Final = """\
# Tools

Clients list each name with `_` in place of the dot; both work. "Requests" is what a call counts for. Arguments without
**required** may be left out.
"""


def wanted(tools: tuple[Tool, ...]) -> Mapping[Path, str]:
    """Return what each file has to be."""
    return {
        _FOLDER / "tools.md": "".join(_line(tool) for tool in tools),
        _FOLDER / "skill" / "references" / "tools.md": _INTRODUCTION
        + "".join(_section(tool) for tool in tools),
    }


def _line(tool: Tool) -> str:
    """Return a tool as `llms.txt` lists it; `$site_url` is filled in by the site."""
    address = (
        f"$site_url/skills/sponsorgraph/references/tools.md#{tool.alias.replace('_', '').lower()}"
    )
    return f"- [{tool.name}]({address}): {_first_sentence(tool.description)}\n"


def _section(tool: Tool) -> str:
    schema = tool.input_schema
    required = schema.get("required", [])
    arguments = "".join(
        f"- `{name}`{' **required**' if name in required else ''} ({allowed(field)}): {field['description']}\n"
        for name, field in schema["properties"].items()
        if not field.get("deprecated")
    )
    needs = f" Needs a plan with {tool.feature}." if tool.feature else ""
    cost = "free" if tool.cost == 0 else f"{tool.cost} request{'s' if tool.cost > 1 else ''}"
    return (
        f"\n## {tool.name}\n\n{tool.title} ({cost}). {tool.description}{needs}\n\n{arguments or 'No arguments.'}\n".rstrip()
        + "\n"
    )


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".").replace("$", "$$")


def main() -> int:
    files = wanted(all_tools())
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            sys.stdout.write(f"{path.relative_to(_ROOT)} is not fresh: run `make gen`\n")
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())

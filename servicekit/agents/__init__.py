"""What agents read about the service: a skill in the Agent Skills format, and `llms.txt`.

The site gives both, and the command installs the skill. The list of tools in them is generated from the tools themselves
(`scripts/gen_agents.py`), as neither the site nor the command has them.
"""

import io
import zipfile
from collections.abc import Mapping
from importlib import metadata, resources
from string import Template
from typing import Final

NAME: Final = "sponsorgraph"
_HERE: Final = resources.files("servicekit.agents")
_VERSION: Final = metadata.version("sponsorgraph")
_DAY: Final = (1980, 1, 1, 0, 0, 0)
"""The first day that a zip can name: the archive depends on its content alone."""


def skill_files() -> Mapping[str, str]:
    """Return the files of the skill by their paths in its folder."""
    head = Template(_read("skill", "SKILL.md"))
    references = ("coverage.md", "sql.md", "tools.md")
    return {
        "SKILL.md": head.substitute(version=_VERSION),
        **{f"references/{name}": _read("skill", "references", name) for name in references},
    }


def skill_archive() -> bytes:
    """Return the skill as a zip with its folder, as programs take it that have no folder of skills."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in skill_files().items():
            entry = zipfile.ZipInfo(f"{NAME}/{path}", _DAY)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def llms_txt(site_url: str, mcp_url: str) -> str:
    """Return `llms.txt` (llmstxt.org) of the service at these addresses."""
    tools = Template(_read("tools.md")).substitute(site_url=site_url)
    return Template(_read("llms.txt")).substitute(site_url=site_url, mcp_url=mcp_url, tools=tools)


def _read(*path: str) -> str:
    return _HERE.joinpath(*path).read_text(encoding="utf-8")

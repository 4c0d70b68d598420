"""The code blocks of docs/operations.md, so that tests run what an operator would copy."""

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
_BLOCK: Final = re.compile(r"^( *)```sh\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def blocks(section: str, begin: str = "") -> list[str]:
    """Return the shell blocks of a section, from its paragraph that begins with `begin` to the next such one."""
    text = PAGE.read_text()
    found = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    if begin:
        found = found.partition(f"\n**{begin}**")[2].partition("\n\n**")[0]
    assert found, (section, begin)
    shells = [match[2] for match in _BLOCK.finditer(found)]
    assert shells, (section, begin)
    return shells

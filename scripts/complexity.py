"""Fail when a function is more complex than the limit; each boolean operator counts.

    python scripts/complexity.py PACKAGE…

Ruff's C901 counts branches alone, so that a condition of twenty parts passes it.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

LIMIT: Final = 12
_GENERATED: Final = "*_pb2*.py"


def main(packages: Sequence[str]) -> int:
    """Print the functions above the limit; the exit status is 1 when there is one."""
    report = subprocess.run(
        [sys.executable, "-m", "radon", "cc", "--json", "--exclude", _GENERATED, *packages],
        check=True,
        capture_output=True,
        text=True,
    )
    above = list(too_complex(json.loads(report.stdout)))
    for line in above:
        print(line)
    return 1 if above else 0


def too_complex(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each function above the limit.

    Raises:
        ValueError: A file could not be read.
    """
    for path, blocks in report.items():
        if "error" in blocks:
            raise ValueError(f"{path}: {blocks['error']}")
        for block in blocks:
            if block["type"] != "class" and block["complexity"] > LIMIT:
                name = ".".join(filter(None, (block.get("classname"), block["name"])))
                yield f"{path}:{block['lineno']}: {name} has complexity {block['complexity']}, above {LIMIT}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The share of the test modules that CI runs today: six days in a row run all of them.

`python -m scripts.daily_share tests/faults` prints today's modules of a folder, `--others` those of the other days.
"""

import argparse
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

DAYS: Final = 6


def share(modules: Sequence[Path], day: date) -> list[Path]:
    """Return the modules of a day, every sixth one of them in the order of their names."""
    return [
        module
        for number, module in enumerate(sorted(modules))
        if number % DAYS == day.toordinal() % DAYS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--others", action="store_true", help="those that today leaves out")
    options = parser.parse_args()
    modules = [module for folder in options.folders for module in sorted(folder.glob("test_*.py"))]
    today = share(modules, datetime.now(UTC).date())
    chosen = [module for module in modules if (module in today) is not options.others]
    print("\n".join(map(str, chosen)))


if __name__ == "__main__":
    main()

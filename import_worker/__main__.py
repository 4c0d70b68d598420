"""`python -m import_worker [serve|work|serve-and-work|check-settings|migrate [--plan [--json]]]`."""

import sys
from typing import Final

from import_worker import MIGRATIONS
from servicekit.process.imports import skip_unused_imports

with skip_unused_imports():
    from import_worker.settings import ImportSettings
    from servicekit import database_wait
    from servicekit.process import runtime
    from servicekit.process.usage import CHECK_SETTINGS, exit_if_checked, exit_with_usage
    from servicekit.settings import read_or_exit


_COMMANDS: Final = ("serve", "work", "serve-and-work", "migrate", CHECK_SETTINGS)


def main() -> None:
    exit_with_usage(__doc__)
    command = sys.argv[1] if len(sys.argv) > 1 else "serve"
    if command not in _COMMANDS:
        sys.exit(f"Unknown command {command!r}: use one of {', '.join(_COMMANDS)}.")
    settings = read_or_exit(ImportSettings)
    exit_if_checked(settings)
    if command == "migrate":
        database_wait.migrate_at_start(settings, MIGRATIONS, sys.argv[2:])
        return
    with skip_unused_imports():
        from import_worker import app  # noqa: PLC0415 - migrations do without

    runtime.run("import_worker", settings, app.run(settings, command))


if __name__ == "__main__":
    main()

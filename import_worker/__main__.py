"""`python -m import_worker [serve]`."""

import sys

from import_worker import app
from import_worker.settings import ImportSettings
from servicekit import runtime


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else "serve"
    if command != "serve":
        sys.exit(f"Unknown command {command!r}: use serve.")
    settings = ImportSettings()
    opening = runtime.serve_until_stopped(lambda: app.running(settings))
    runtime.run("import_worker", settings, opening)


if __name__ == "__main__":
    main()

"""`python -m import_worker [serve|work|migrate]`."""

import sys

from import_worker import MIGRATIONS
from servicekit.process.imports import skip_unused_imports

with skip_unused_imports():
    from import_worker.settings import ImportSettings
    from servicekit import database
    from servicekit.process import runtime


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else "serve"
    if command not in ("serve", "work", "migrate"):
        sys.exit(f"Unknown command {command!r}: use serve, work or migrate.")
    settings = ImportSettings()  # pyright: ignore[reportCallIssue] - the environment gives the rest
    if command == "migrate":
        database.migrate(settings.database_url, MIGRATIONS)
        return
    with skip_unused_imports():
        from import_worker import app  # noqa: PLC0415 - migrations do without

    openings = {"serve": app.serve, "work": app.work}
    opening = runtime.serve_until_stopped(
        lambda: openings[command](settings), settings.drain_seconds
    )
    runtime.run("import_worker", settings, opening)


if __name__ == "__main__":
    main()

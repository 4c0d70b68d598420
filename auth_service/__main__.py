"""`python -m auth_service [serve|migrate]`."""

import sys

from auth_service import MIGRATIONS
from servicekit.process.imports import skip_unused_imports

with skip_unused_imports():
    from auth_service.settings import AuthSettings
    from servicekit import database
    from servicekit.process import runtime


def main() -> None:
    settings = AuthSettings()  # pyright: ignore[reportCallIssue] - the environment gives the rest
    command = sys.argv[1] if len(sys.argv) > 1 else "serve"
    if command == "migrate":
        database.migrate(settings.database_url, MIGRATIONS)
    elif command == "serve":
        with skip_unused_imports("email_validator"):  # parses e-mail addresses
            from auth_service import app  # noqa: PLC0415 - migrations do not need it

        opening = runtime.serve_until_stopped(lambda: app.serve(settings), settings.drain_seconds)
        runtime.run("auth_service", settings, opening)
    else:
        sys.exit(f"Unknown command {command!r}: use serve or migrate.")


if __name__ == "__main__":
    main()

"""`python -m auth_service [serve|check-settings|migrate [--plan [--json]]]`."""

import sys

from auth_service import MIGRATIONS
from servicekit.process.imports import skip_unused_imports

with skip_unused_imports():
    from auth_service.settings import AuthSettings
    from servicekit import database_wait
    from servicekit.process import runtime
    from servicekit.process.usage import exit_if_checked, exit_with_usage
    from servicekit.settings import read_or_exit


def main() -> None:
    exit_with_usage(__doc__)
    settings = read_or_exit(AuthSettings)
    exit_if_checked(settings)
    command = sys.argv[1] if len(sys.argv) > 1 else "serve"
    if command == "migrate":
        database_wait.migrate_at_start(settings, MIGRATIONS, sys.argv[2:])
    elif command == "serve":
        with skip_unused_imports("email_validator"):  # parses e-mail addresses
            from auth_service import app  # noqa: PLC0415 - migrations do not need it

        runtime.run("auth_service", settings, app.run(settings))
    else:
        sys.exit(f"Unknown command {command!r}: use serve, check-settings or migrate.")


if __name__ == "__main__":
    main()

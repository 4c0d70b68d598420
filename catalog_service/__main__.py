"""`python -m catalog_service [check-settings|migrate [--plan [--json]]]`; without an argument it serves."""

import sys

from catalog_service import MIGRATIONS
from servicekit.process.imports import skip_unused_imports

with skip_unused_imports():
    from catalog_service.settings import CatalogSettings
    from servicekit import database_wait
    from servicekit.process import runtime
    from servicekit.process.usage import exit_if_checked, exit_with_usage
    from servicekit.settings import read_or_exit


def main(arguments: list[str]) -> int:
    exit_with_usage(__doc__)
    settings = read_or_exit(CatalogSettings)
    exit_if_checked(settings)
    match arguments:
        case []:
            with skip_unused_imports():
                from catalog_service import app  # noqa: PLC0415 - migrations do without

            runtime.run("catalog", settings, app.run(settings))
        case ["migrate", *options]:
            database_wait.migrate_at_start(settings, MIGRATIONS, options)
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

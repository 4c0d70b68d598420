"""Brings the databases of a home up to date: `python -m devstack.migrate HOME`, while its Postgres runs.

One process for all of them, as loading what migrates takes longer than the migrations of most databases.
"""

import functools
import sys
from pathlib import Path

from devstack.home import Home
from devstack.schemas import migrations_of
from devstack.services import DATABASES
from servicekit.migration import command


def main(arguments: list[str]) -> int:
    """Migrate one database after the other; the exit status is 2 when it is called wrongly."""
    home = Home(Path(arguments[0])) if len(arguments) == 1 else None
    addresses = home.addresses() if home else None
    if home is None or addresses is None:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    for name, url in addresses.database_urls(home.secrets(), DATABASES).items():
        sys.stderr.write(f"The database {name}\n")
        command.run_or_exit(functools.partial(command.migrate, url, migrations_of(name)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Copies the sample's rows into the catalogue of a new home: `python -m devstack.sample.fill HOME`, while its Postgres runs.

A process that ends, as the driver that it loads is of no use later.
"""

import sys
from pathlib import Path

import psycopg

from devstack.home import Home
from devstack.sample import rows


def main(arguments: list[str]) -> int:
    """Copy them where the catalogue never had any, else its service takes the sample in; 2 when it is called wrongly."""
    home = Home(Path(arguments[0])) if len(arguments) == 1 else None
    addresses = home.addresses() if home else None
    if home is None or addresses is None:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    (url,) = addresses.database_urls(home.secrets(), ["catalog"]).values()
    with psycopg.connect(url) as connection:
        digest = rows.restore(connection)
    if digest is not None:
        home.write_state({**home.state(), "sample": digest})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

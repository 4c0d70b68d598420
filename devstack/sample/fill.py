"""Copies the sample's rows into the catalogue of a new home: `python -m devstack.sample.fill HOME`, while its Postgres runs.

A process that ends, as the driver that it loads is of no use later.
"""

import sys

import psycopg

from devstack.home import Addresses, Home
from devstack.home_process import run_in_home
from devstack.sample import rows


def main(arguments: list[str]) -> int:
    return run_in_home(arguments, __doc__, _fill)


def _fill(home: Home, addresses: Addresses) -> None:
    """Copy them where the catalogue never had any; else its service takes the sample in."""
    (url,) = addresses.database_urls(home.secrets(), ["catalog"]).values()
    with psycopg.connect(url) as connection:
        digest = rows.restore(connection)
    if digest is not None:
        home.write_state({**home.state(), "sample": digest})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

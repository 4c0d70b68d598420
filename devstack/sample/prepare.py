"""Makes the rows of the sample: `python -m devstack.sample.prepare`.

A catalog service with an empty database of its own takes the sample in, and `rows.zip` gets what its tables hold then.
Due whenever the sample, the ingest or the tables have changed so that other rows come of it.
"""

import hashlib
import sys
import tempfile
from pathlib import Path
from typing import Final

import psycopg

from devstack import ports
from devstack.children import Child, wait_until
from devstack.clients.health import grpc_is_serving
from devstack.engines import Postgres
from devstack.home import Secrets
from devstack.sample import rows
from devstack.sample.build import TARGET
from devstack.sample_loader import load, refusal_of_sample
from servicekit.peer_credentials import PeerCredentials

_SECONDS: Final = 60.0


def main() -> int:
    """Write `rows.zip` beside this module; the exit status is 1 when the catalogue refused a record."""
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-sample-") as folder:
        path, keys = Path(folder), Secrets()
        postgres = Postgres(
            path / "postgres",
            ports.free_port(),
            keys.postgres_password,
            {"fsync": "off"},
            path / "log",
        )
        try:
            postgres.start()
            return _prepare(postgres, keys, path)
        finally:
            postgres.stop()


def _prepare(postgres: Postgres, keys: Secrets, folder: Path) -> int:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE catalog")
    url, port = postgres.url("catalog"), ports.free_port()
    target = f"{ports.HOST}:{port}"
    settings = {
        "CATALOG_DATABASE_URL": url,
        "CATALOG_GRPC_PORT": str(port),
        "CATALOG_CURSOR_SECRET": keys.cursor_secret,
        "CATALOG_GRPC_TOKEN": keys.grpc_token,
    }
    migration = Child("The migration", ["catalog_service", "migrate"], settings, folder / "migrate")
    migration.start()
    migration.run_to_end()
    service = Child("The service", ["catalog_service"], settings, folder / "service")
    credentials = PeerCredentials((keys.grpc_token,))
    try:
        service.start()
        wait_until(lambda: grpc_is_serving(target, credentials), [service], "The start", _SECONDS)
        loaded = load(target, [TARGET], lambda _sent: None, credentials)
    finally:
        service.request_stop()
        service.wait_stopped()
    if loaded.refused:
        sys.stderr.write(f"{refusal_of_sample(loaded.refused)}\n")
        return 1
    with psycopg.connect(url) as connection:
        rows.dump(connection, hashlib.sha256(TARGET.read_bytes()).hexdigest(), rows.ROWS)
    return 0


if __name__ == "__main__":
    sys.exit(main())

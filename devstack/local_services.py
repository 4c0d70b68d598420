"""The engines and services of a home, as they are started; nothing here starts them."""

from collections.abc import Sequence
from typing import Final

from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Home, Secrets
from devstack.services import ServiceSpec, specs

_POSTGRES_SETTINGS: Final = {
    "shared_buffers": "128MB",
    "max_connections": "100",
    "log_min_messages": "warning",
    "log_line_prefix": "%m [%p] ",
}


def engines_of(home: Home, addresses: Addresses, keys: Secrets) -> tuple[Postgres, Valkey]:
    """Return the database servers of a home."""
    folder = home.path.resolve()
    postgres = Postgres(
        folder / "postgres",
        _port(addresses.postgres),
        keys.postgres_password,
        _POSTGRES_SETTINGS,
        home.logs / "postgres.log",
    )
    valkey_log = home.logs / "valkey.log"
    valkey = Valkey(_port(addresses.valkey), keys.valkey_password, valkey_log, folder / "valkey")
    return postgres, valkey


def services_of(home: Home, addresses: Addresses, site_url: str) -> Sequence[ServiceSpec]:
    """Return the services of a home, those first that others need."""
    keys = home.secrets()
    engines = engines_of(home, addresses, keys)
    return specs(addresses, keys, *engines, site_url, str(home.mails.resolve()))


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])

"""Our gateway with our catalog code in its own process: all that we do, but no gRPC between them.

Everything else is as in the stack; accounts and quota are read where the stack reads them.
"""

from collections.abc import Mapping
from typing import Any, Final

import uvloop

from catalog_service import app as catalog_app
from catalog_service.settings import CatalogSettings
from catalog_service.storage.connections import Database
from catalog_service.storage.sql.runner import PostgresSql, SqlLimits
from gateway import app as gateway_app
from gateway.settings import GatewaySettings
from servicekit import database
from servicekit.observability import logs
from servicekit.process.runtime import serve_until_stopped
from shapes.catalog.sponsors import SearchSponsorsRequest

_DEFAULTS: Final[Mapping[str, Any]] = {
    "search": None,
    "category": None,
    "country": None,
    "active_since": None,
    "min_videos": None,
    "sort": "",
    "limit": 0,
    "cursor": None,
    "account_id": None,
    "in_list": None,
    "not_in_list": None,
}


class LocalCatalog:
    """The `Catalog` port without a wire; only for searches."""

    def __init__(self, queries: Any) -> None:
        self._sponsors = queries.sponsors

    def close(self) -> None:
        """Do nothing: there is no connection."""

    async def query(
        self, name: str, arguments: Mapping[str, object], result_type: type[Any]
    ) -> Any:
        # The catalog's own response has the fields of the gateway's.
        del result_type
        if name != "SearchSponsors":
            raise NotImplementedError(name)
        values: dict[str, Any] = {**_DEFAULTS, **arguments}
        return await self._sponsors.search(SearchSponsorsRequest(**values))


async def _main() -> None:
    catalog = CatalogSettings()  # pyright: ignore[reportCallIssue]
    gateway = GatewaySettings()  # pyright: ignore[reportCallIssue]
    engine = database.open_engine(catalog, "one-process")
    reading = database.open_reading_engine(catalog, "one-process")
    postgres = Database(engine, reading)
    sql = PostgresSql(postgres, "", SqlLimits())
    local = LocalCatalog(catalog_app._queries(postgres, postgres, catalog, sql))  # noqa: SLF001

    def instead(*_: object, **__: object) -> LocalCatalog:
        return local

    gateway_app.catalog.GrpcCatalog = instead  # pyright: ignore[reportAttributeAccessIssue]
    logs.configure("gateway", gateway)
    await serve_until_stopped(lambda: gateway_app.serve(gateway))
    await reading.dispose()
    await engine.dispose()


if __name__ == "__main__":
    uvloop.run(_main())

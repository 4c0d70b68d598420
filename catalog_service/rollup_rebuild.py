"""Where the command line rebuilds the rollups of a catalogue's database."""

from collections.abc import Sequence

import psycopg

from catalog_service.storage.rollups import repair
from catalog_service.storage.rollups.repair import Drift, RebuildRunningError, Report

__all__ = ["CatalogUnusableError", "Drift", "RebuildRunningError", "Report", "rebuild"]


class CatalogUnusableError(Exception):
    """The database does not respond, or has not the newest tables; the message says which."""


def rebuild(url: str, report: Report, *, repairs: bool = True) -> Sequence[Drift]:
    """Compute all rollups again, as `repair.rebuild` does.

    Raises:
        RebuildRunningError: Another process does.
        CatalogUnusableError: The database cannot be worked on.
    """
    try:
        return repair.rebuild(url, report, repairs=repairs)
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn) as error:
        raise CatalogUnusableError(
            "The catalogue's database has not the newest tables: run `sponsorgraph migrate` first."
        ) from error
    except psycopg.OperationalError as error:
        reason = str(error).partition("\n")[0]
        raise CatalogUnusableError(
            f"The catalogue's database does not respond: {reason}"
        ) from error

"""Writes of records to the catalog, with a log entry and a count of each that it refuses."""

from collections.abc import AsyncIterator, Mapping, Sequence

from import_worker.domain.ingest import CatalogWriter, Record
from import_worker.jobs import metrics
from servicekit.observability import logs
from shapes.catalog.ingest import SponsorFact

log = logs.get(__name__)


async def write_records(catalog: CatalogWriter, records: Sequence[Record]) -> Mapping[int, str]:
    """Write records; return why some of them were refused, by their index.

    Raises:
        Unavailable: The catalog does not respond.
    """
    if not records:
        return {}
    report = await catalog.write(_each(records))
    for rejection in report.rejected:
        metrics.RECORDS_REFUSED.inc()
        record = records[rejection.index]
        name = record.slug if isinstance(record, SponsorFact) else record.key
        log.warning("record_rejected", record=name, reason=rejection.reason)
    return {rejection.index: rejection.reason for rejection in report.rejected}


async def _each(records: Sequence[Record]) -> AsyncIterator[Record]:
    for record in records:
        yield record

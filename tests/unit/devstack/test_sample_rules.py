"""The catalogue takes every record of the bundled sample; what it refuses is said."""

from datetime import date
from importlib import resources

from catalog_service.domain import fact_rules
from catalog_service.domain.fact_rules import BadFactError
from devstack.catalog_files import BadLine, CatalogItem, read_catalog_files
from devstack.sample_loader import Loaded, refusal_of_sample
from import_worker.domain.ingest import IngestReport, Rejection
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.grpc.codec import decode, encode
from shapes.catalog.ingest import SponsorFact, VideoFact, YoutuberFact


def _refusal(item: CatalogItem) -> str | None:
    """Return why the catalogue would refuse the item, by its own rules, of what comes over the wire."""
    try:
        if isinstance(item, BadLine):
            return item.reason
        if isinstance(item, SponsorFact):
            fact_rules.sponsor(decode(encode(item, pb.SponsorFact), SponsorFact))
        elif isinstance(item, YoutuberFact):
            fact_rules.youtuber(decode(encode(item, pb.YoutuberFact), YoutuberFact))
        else:
            video = decode(encode(item, pb.VideoFact), VideoFact)
            fact_rules.video(video, lambda: date(2026, 11, 1))
    except BadFactError as reason:
        return str(reason)
    return None


def test_the_catalogue_refuses_no_record_of_the_sample() -> None:
    with resources.as_file(resources.files("devstack.sample") / "catalog.jsonl.gz") as file:
        items = list(read_catalog_files([file]))
    assert len(items) > 11_930
    refused = [(item, reason) for item in items if (reason := _refusal(item)) is not None]
    assert refused == []


def test_every_refused_line_and_record_is_named_and_counted() -> None:
    report = IngestReport(1, 0, 0, (Rejection(7, "no such category"),))
    loaded = Loaded(report, (BadLine("sample", 3, "no JSON"),), 9)
    assert loaded.refused == ("sample:3: no JSON", "record 7: no such category")
    assert refusal_of_sample(loaded.refused) == (
        "The catalogue refused 2 records of the sample; the first: sample:3: no JSON"
    )

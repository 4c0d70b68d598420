"""Accepted reports as labels: what operators decided, and nothing of who reported it."""

import json
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

from cli.commands._correction_labels import label_lines, video_ids
from import_worker.detector.labelled import read_labels
from shapes.catalog.corrections import Report, ReviewedReport
from shapes.catalog.shared import Evidence, SponsorRef, Sponsorship, Video, YoutuberRef
from shapes.imports import StoredText

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TEXT = StoredText("aaaaaaaaaaa", "A lake", "Thanks to Acme for sponsoring.\nUse code LAKE.", 22)


def ref(name: str) -> SponsorRef:
    return SponsorRef(f"sp_{name}", name.lower(), name, f"{name.lower()}.com", None)


def claim(name: str, kind: str = "paid_sponsorship", **fields: Any) -> Sponsorship:
    evidence: dict[str, Any] = dict.fromkeys(Evidence.__dataclass_fields__) | {
        "excerpt": fields.get("excerpt"),
        "reason": "",
    }
    values: dict[str, Any] = dict.fromkeys(Sponsorship.__dataclass_fields__) | {
        "sponsor": ref(name),
        "kind": kind,
        "evidence": Evidence(**evidence),
        "confidence": 1.0,
        "detector_version": fields.get("version", "2.2"),
    }
    return Sponsorship(**values)


def accepted(
    kind: str,
    claims: tuple[Sponsorship, ...],
    *,
    sponsor: str | None = None,
    brand: str | None = None,
    video: str = "aaaaaaaaaaa",
    day: int = 0,
) -> ReviewedReport:
    facts: dict[str, Any] = dict.fromkeys(Video.__dataclass_fields__) | {
        "id": f"vd_{video}",
        "video_id": video,
        "published_at": date(2026, 11, 1),
    }
    youtuber: dict[str, Any] = dict.fromkeys(YoutuberRef.__dataclass_fields__) | {
        "id": "yt_1",
        "name": "Lakeside",
    }
    report = Report(
        id="r_1",
        state="accepted",
        kind=kind,
        video=Video(**facts),
        sponsor=ref(sponsor) if sponsor else None,
        brand=brand,
        proposed_kind=None,
        note="I watched it; write to reporter@example.com.",
        created_at=NOON,
        sponsorship=None,
        reported_sponsor=None,
        replaced_by=None,
    )
    return ReviewedReport(
        report=report,
        account_id="acc-secret",
        youtuber=YoutuberRef(**youtuber),
        sponsorships=claims,
        decided_at=NOON + timedelta(days=day),
        decided_by="operator-name",
        decision_note="decided in private",
        brand_sponsor=None,
        others=(),
    )


def test_decided_brands_are_sponsors_and_others_count_neither_way(tmp_path: Path) -> None:
    claims = (
        claim("Brandless"),
        claim("Acme", version="review"),
        claim("Boltworks", "promo_code", excerpt="Use code LAKE"),
    )
    reports = [
        accepted("missing", claims, brand="acme"),
        accepted("wrong_kind", claims, sponsor="Boltworks"),
        accepted("wrong", claims, sponsor="Gone"),
    ]
    (line,) = label_lines(reports, [TEXT])
    assert line["sponsors"] == [
        {
            "brand": "Acme",
            "domain": "acme.com",
            "aliases": [],
            "evidence": "",
            "kind": "paid sponsorship",
        },
        {
            "brand": "Boltworks",
            "domain": "boltworks.com",
            "aliases": [],
            "evidence": "Use code LAKE",
            "kind": "promo code",
        },
    ]
    assert [brand["brand"] for brand in line["ignore"]] == ["Brandless"]
    assert "Gone" not in json.dumps(line)
    file = tmp_path / "labels.jsonl"
    file.write_text(json.dumps(line), "utf-8")
    (video,) = read_labels(file)
    assert (video.channel, video.title, video.description) == (
        "Lakeside",
        TEXT.title,
        TEXT.description,
    )
    assert [label.kind for label in video.sponsors] == ["paid_sponsorship", "promo_code"]
    assert (video.category, video.stratum) == (22, "correction")


def test_a_line_has_nothing_of_the_report_but_its_brand() -> None:
    claims = (claim("Acme", version="review"),)
    (line,) = label_lines([accepted("missing", claims, brand="Acme")], [TEXT])
    text = json.dumps(line)
    for private in ("acc-secret", "operator-name", "decided in private", "reporter@", "r_1"):
        assert private not in text


def test_a_brand_that_was_taken_for_another_leaves_the_right_one() -> None:
    claims = (claim("Right", version="review"), claim("Other"))
    (line,) = label_lines([accepted("wrong", claims, sponsor="Wrong", brand="right.com")], [TEXT])
    assert [brand["brand"] for brand in line["sponsors"]] == ["Right"]
    assert [brand["brand"] for brand in line["ignore"]] == ["Other"]


def test_the_newest_decision_says_what_the_video_has() -> None:
    before, after = (claim("Acme", version="review"),), ()
    reports = [
        accepted("missing", before, brand="Acme"),
        accepted("wrong", after, sponsor="Acme", day=1),
    ]
    for order in permutations(reports):
        (line,) = label_lines(order, [TEXT])
        assert (line["sponsors"], line["ignore"]) == ([], [])


def test_evidence_that_is_not_in_the_text_is_left_out() -> None:
    claims = (claim("Acme", version="review", excerpt="said at 2:10"),)
    (line,) = label_lines([accepted("missing", claims, brand="Acme")], [TEXT])
    assert line["sponsors"][0]["evidence"] == ""


def test_lines_are_sorted_by_video_and_those_without_text_left_out() -> None:
    texts = [StoredText(name * 11, "", "", None) for name in "cab"]
    reports = [accepted("missing", (), brand="X", video=name * 11) for name in "bcadb"]
    lines = label_lines(reports, texts)
    assert [line["id"] for line in lines] == ["a" * 11, "b" * 11, "c" * 11]
    assert lines == label_lines(reversed(reports), reversed(texts))
    assert video_ids(reports) == ["a" * 11, "b" * 11, "c" * 11, "d" * 11]
    assert {line["category_id"] for line in lines} == {""}

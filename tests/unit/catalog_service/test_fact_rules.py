"""Facts are brought into their stored form, or rejected."""

from dataclasses import replace
from datetime import date

import pytest

from catalog_service.domain import fact_rules
from catalog_service.domain.fact_rules import BadFactError
from catalog_service.domain.facts import digest, merged
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact

SPONSOR = SponsorFact(slug="one", name="One")
YOUTUBER = YoutuberFact(key="k", name="Name")
CLAIM = SponsorshipFact(sponsor_slug="one", kind="affiliate", confidence=0.5, detector_version="d", reason="reason")  # fmt: skip
VIDEO = VideoFact(key="v", youtuber_key="k", published_at="2024-01-01", sponsorships=(CLAIM,))


def today() -> date:
    return date(2024, 6, 1)


def test_a_sponsor_is_brought_into_form() -> None:
    fact = SponsorFact(
        slug="one",
        name=" One ",
        aliases=("Uno", "Uno"),
        domains=("WWW.One.example",),
        category="VPN & security",
        country="us",
    )
    assert fact_rules.sponsor(fact) == SponsorFact(
        slug="one",
        name="One",
        aliases=("Uno",),
        domains=("one.example",),
        category="security",
        country="US",
    )


def test_a_youtuber_is_brought_into_form() -> None:
    fact = replace(YOUTUBER, handle="name", imported_at="2024-01-01T01:00:00+01:00")
    form = fact_rules.youtuber(fact)
    assert (form.handle, form.imported_at) == ("@name", "2024-01-01T00:00:00+00:00")


def test_a_video_is_dated_by_the_day_in_utc_and_its_sponsors_are_in_order() -> None:
    fact = replace(
        VIDEO,
        published_at="2024-01-01T01:00:00+02:00",
        sponsorships=(replace(CLAIM, sponsor_slug="two"), CLAIM),
    )
    form = fact_rules.video(fact, today)
    assert form.published_at == "2023-12-31"
    assert [sponsorship.sponsor_slug for sponsorship in form.sponsorships] == ["one", "two"]


@pytest.mark.parametrize(
    ("link", "form"),
    [
        ("www.audible.com/nutshell", "https://www.audible.com/nutshell"),
        ("audible.com", "https://audible.com"),
        ("http://audible.com/x", "http://audible.com/x"),
        ("mailto:me@audible.com", "mailto:me@audible.com"),
        ("audible.com nutshell", "audible.com nutshell"),
        (None, None),
    ],
)
def test_a_link_has_one_form_with_and_without_its_scheme(
    link: str | None, form: str | None
) -> None:
    claims = (replace(CLAIM, link=link),)
    made = fact_rules.video(replace(VIDEO, sponsorships=claims), today)
    assert made.sponsorships[0].link == form


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"slug": "One"}, "slug 'One' is malformed"),
        ({"name": "  "}, "name is empty"),
        ({"name": "x" * 201}, "name is longer than 200 characters"),
        ({"name": "a\x00"}, "name has a NUL character"),
        ({"aliases": ("x",) * 51}, "aliases has more than 50 entries"),
        ({"domains": ("no domain",)}, "domains 'no domain' is malformed"),
        ({"category": "fun"}, "category 'fun' is no sponsor category"),
        ({"country": "USA"}, "country is longer than 2 characters"),
        ({"website": "one.example"}, "website 'one.example' is malformed"),
    ],
)
def test_unfit_sponsors_are_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(BadFactError, match=f"^{reason}$"):
        fact_rules.sponsor(replace(SPONSOR, **changes))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"key": ""}, "key is empty"),
        ({"channel_id": "UCshort"}, "channel_id 'UCshort' is malformed"),
        ({"subscribers": -1}, "subscribers is out of range"),
        ({"category": "security"}, "category 'security' is no content category"),
        ({"imported_at": "2024-01-01T00:00:00"}, "imported_at names no time zone"),
        ({"imported_at": "now"}, "imported_at is no RFC 3339 instant"),
    ],
)
def test_unfit_youtubers_are_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(BadFactError, match=f"^{reason}$"):
        fact_rules.youtuber(replace(YOUTUBER, **changes))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"video_id": "short"}, "video_id 'short' is malformed"),
        ({"views": 2**60}, "views is out of range"),
        ({"published_at": "2024-06-03"}, "published_at 2024-06-03 is .* in the future"),
        ({"published_at": "1999-01-01"}, "published_at 1999-01-01 is before .*"),
        ({"published_at": "24 May"}, "published_at is neither .*"),
        ({"sponsorships": (CLAIM, CLAIM)}, "sponsorships name 'one' more than once"),
        ({"sponsorships": (replace(CLAIM, kind="gift"),)}, "kind must be one of .*"),
        ({"sponsorships": (replace(CLAIM, confidence=float("nan")),)}, "confidence must be .*"),
        ({"sponsorships": (replace(CLAIM, excerpt_source="comment"),)}, "excerpt_source must .*"),
        (
            {"sponsorships": (replace(CLAIM, excerpt_start=2, excerpt_end=1),)},
            "excerpt_start is behind excerpt_end",
        ),
        (
            {"sponsorships": (replace(CLAIM, segment_start=2, segment_source="guess"),)},
            "segment_source must be .*",
        ),
        ({"sponsorships": (replace(CLAIM, segment_end=2),)}, "a segment has no segment_start"),
        (
            {
                "sponsorships": (
                    replace(CLAIM, segment_start=2, segment_end=2, segment_source="chapter"),
                )
            },
            "segment_start is not before segment_end",
        ),
    ],
)
def test_unfit_videos_are_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(BadFactError, match=f"^{reason}$"):
        fact_rules.video(replace(VIDEO, **changes), today)  # pyright: ignore[reportArgumentType]


def test_what_a_fact_leaves_out_stays_known() -> None:
    stored = replace(YOUTUBER, subscribers=5, country="DE")
    assert merged(stored, replace(YOUTUBER, country="FR")) == replace(stored, country="FR")


def test_a_video_without_sponsorships_has_none_any_more() -> None:
    stored = replace(VIDEO, views=3)
    assert merged(stored, replace(VIDEO, sponsorships=())) == replace(stored, sponsorships=())


def test_equal_facts_have_equal_digests_and_others_do_not() -> None:
    assert digest(VIDEO) == digest(replace(VIDEO))
    assert digest(VIDEO) != digest(replace(VIDEO, views=0))

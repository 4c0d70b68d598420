"""The difference between a video's sponsorships of before and of now."""

from dataclasses import replace

from import_worker.domain.ports import StoredVideo
from import_worker.domain.redetection import SponsorshipChange
from shapes.catalog.ingest import SponsorshipFact


def changes_between(before: StoredVideo, now: StoredVideo) -> tuple[SponsorshipChange, ...]:
    """Return the brands of a video that were added, removed, or are claimed otherwise.

    Another detector version alone is no change. Of a video that was stored without its sponsorships,
    only added and removed brands are known.
    """
    video_id = now.video.video_id
    names_before, names_now = dict(before.brands), dict(now.brands)
    facts_before, facts_now = _comparable(before), _comparable(now)
    added = [
        SponsorshipChange(video_id, slug, name, "added")
        for slug, name in names_now.items()
        if slug not in names_before
    ]
    removed = [
        SponsorshipChange(video_id, slug, name, "removed")
        for slug, name in names_before.items()
        if slug not in names_now
    ]
    changed = [
        SponsorshipChange(video_id, slug, names_now.get(slug, slug), "changed")
        for slug, fact in facts_now.items()
        if slug in facts_before and facts_before[slug] != fact
    ]
    return tuple(sorted((*added, *removed, *changed), key=lambda change: change.slug))


def _comparable(video: StoredVideo) -> dict[str, SponsorshipFact]:
    return {
        fact.sponsor_slug: replace(fact, detector_version="") for fact in video.sponsorships or ()
    }

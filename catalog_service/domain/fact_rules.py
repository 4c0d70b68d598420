"""Validation of facts, and the canonical form in which they are stored."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from catalog_service.domain import kinds
from catalog_service.domain.categories import Scope, category_id
from catalog_service.domain.ports import Today
from catalog_service.domain.title_hashes import TITLE_HASH, title_hash
from catalog_service.domain.video_formats import BROADCASTS
from shapes.catalog.ingest import (
    SponsorFact,
    SponsorshipFact,
    VideoFact,
    VideoRemoval,
    YoutuberFact,
)

EARLIEST_DAY: Final = date(2005, 1, 1)
_MAX_COUNT: Final = 2**53
_MAX_OFFSET: Final = 2**31 - 1
_MAX_LIST: Final = 50
MAX_DESCRIPTION: Final = 5_000
"""Characters of a description; YouTube takes no longer one."""

_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CHANNEL_ID: Final = re.compile(r"UC[\w-]{22}", re.ASCII)
_HOST: Final = re.compile(r"(?:[\w-]+\.)+[^\W\d_][\w-]+(?![^/?#:])")
_VIDEO_ID: Final = re.compile(r"[\w-]{11}", re.ASCII)
_HANDLE: Final = re.compile(r"@?[^\s@/]{1,60}")
_DOMAIN: Final = re.compile(r"([\w-]+\.)+[\w-]{2,}")
_URL: Final = re.compile(r"https?://\S+")
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_EXCERPT_SOURCES: Final = frozenset({"title", "description"})
_SEGMENT_SOURCES: Final = frozenset({"chapter", "sponsorblock"})


class BadFactError(ValueError):
    """A fact that breaks a rule; the message says which."""


def sponsor(fact: SponsorFact) -> SponsorFact:
    """Return the fact in canonical form.

    Raises:
        BadFactError: It breaks a rule.
    """
    return replace(
        fact,
        slug=_matching("slug", fact.slug, _SLUG, 100),
        name=_text("name", fact.name, 200),
        aliases=_texts("aliases", fact.aliases, lambda value: _text("aliases", value, 200)),
        domains=_texts("domains", fact.domains, _domain),
        category=_category("sponsor", fact.category),
        country=_country(fact.country),
        website=_optional("website", fact.website, _URL, 500),
    )


def youtuber(fact: YoutuberFact) -> YoutuberFact:
    """Return the fact in canonical form; raises as `sponsor` does."""
    handle = _optional("handle", fact.handle, _HANDLE, 61)
    return replace(
        fact,
        key=_text("key", fact.key, 200),
        channel_id=_optional("channel_id", fact.channel_id, _CHANNEL_ID, 24),
        handle=handle and f"@{handle.removeprefix('@')}",
        name=_text("name", fact.name, 200),
        subscribers=_count("subscribers", fact.subscribers, _MAX_COUNT),
        country=_country(fact.country),
        category=_category("content", fact.category),
        source=None if fact.source is None else _text("source", fact.source, 100),
        imported_at=_instant(fact.imported_at),
    )


def video(fact: VideoFact, today: Today) -> VideoFact:
    """Return the fact in canonical form; raises as `sponsor` does."""
    slugs = [sponsorship.sponsor_slug for sponsorship in fact.sponsorships]
    repeated = {slug for slug in slugs if slugs.count(slug) > 1}
    if repeated:
        raise BadFactError(f"sponsorships name {min(repeated)!r} more than once")
    return replace(
        fact,
        key=_text("key", fact.key, 200),
        video_id=_optional("video_id", fact.video_id, _VIDEO_ID, 11),
        youtuber_key=_text("youtuber_key", fact.youtuber_key, 200),
        title=None if fact.title is None else _text("title", fact.title, 500),
        title_hash=_hash_of_title(fact),
        published_at=_published(fact.published_at, today),
        views=_count("views", fact.views, _MAX_COUNT),
        category=_category("content", fact.category),
        likes=_count("likes", fact.likes, _MAX_COUNT),
        comments=_count("comments", fact.comments, _MAX_COUNT),
        observed_at=None if fact.observed_at is None else _observed(fact.observed_at, today),
        duration_seconds=_count("duration_seconds", fact.duration_seconds, _MAX_OFFSET),
        language=_optional("language", fact.language, _LANGUAGE, 60),
        broadcast=_broadcast(fact.broadcast),
        detector_version=_optional_text("detector_version", fact.detector_version, 100),
        description_text=_description(fact.description_text),
        sponsorships=tuple(sorted(map(_sponsorship, fact.sponsorships), key=_by_slug)),
    )


def removal(item: VideoRemoval) -> VideoRemoval:
    """Return the removal with its key trimmed.

    Raises:
        BadFactError: It has no key, or one that is too long.
    """
    return VideoRemoval(_text("key", item.key, 200))


def _hash_of_title(fact: VideoFact) -> str | None:
    if fact.title is not None:
        return title_hash(fact.title)
    return _optional("title_hash", fact.title_hash, TITLE_HASH, 16)


def _link(value: str | None) -> str | None:
    """Return the link as a URL: descriptions leave the scheme out, and one link is to have one form."""
    link = _optional_text("link", value, 2000)
    is_address = link and "://" not in link and _HOST.match(link)
    return f"https://{link}" if is_address else link


def _by_slug(fact: SponsorshipFact) -> str:
    return fact.sponsor_slug


def _sponsorship(fact: SponsorshipFact) -> SponsorshipFact:
    if fact.kind not in kinds.ALL:
        raise BadFactError(f"kind must be one of {', '.join(kinds.ALL)}")
    if not 0 <= fact.confidence <= 1:
        raise BadFactError("confidence must be from 0 to 1")
    if fact.excerpt_source is not None and fact.excerpt_source not in _EXCERPT_SOURCES:
        raise BadFactError("excerpt_source must be title or description")
    start = _count("excerpt_start", fact.excerpt_start, _MAX_OFFSET)
    end = _count("excerpt_end", fact.excerpt_end, _MAX_OFFSET)
    if start is not None and end is not None and start > end:
        raise BadFactError("excerpt_start is behind excerpt_end")
    excerpt = _optional_text("excerpt", fact.excerpt, 2000)
    _check_segment(fact)
    return replace(
        fact,
        sponsor_slug=_matching("sponsor_slug", fact.sponsor_slug, _SLUG, 100),
        code=_optional_text("code", fact.code, 100),
        link=_link(fact.link),
        excerpt=excerpt,
        excerpt_hash=_excerpt_hash(excerpt, fact.excerpt_hash),
        detector_version=_text("detector_version", fact.detector_version, 100),
        reason=_text("reason", fact.reason, 500),
        reader=_optional_text("reader", fact.reader, 100),
    )


def _check_segment(fact: SponsorshipFact) -> None:
    start = _count("segment_start", fact.segment_start, _MAX_OFFSET)
    end = _count("segment_end", fact.segment_end, _MAX_OFFSET)
    if start is None and (end is not None or fact.segment_source is not None):
        raise BadFactError("a segment has no segment_start")
    if start is not None and fact.segment_source not in _SEGMENT_SOURCES:
        raise BadFactError("segment_source must be chapter or sponsorblock")
    if start is not None and end is not None and start >= end:
        raise BadFactError("segment_start is not before segment_end")


def _excerpt_hash(excerpt: str | None, claimed: str | None) -> str | None:
    """Return the hash of the excerpt; without an excerpt the one that was sent."""
    sent = _optional("excerpt_hash", claimed, _HASH, 64)
    if excerpt is None:
        return sent
    known = hashlib.sha256(excerpt.encode()).hexdigest()
    if sent not in (None, known):
        raise BadFactError("excerpt_hash is not that of the excerpt")
    return known


def _text(field: str, value: str, longest: int) -> str:
    stripped = value.strip()
    if not stripped:
        raise BadFactError(f"{field} is empty")
    if len(stripped) > longest:
        raise BadFactError(f"{field} is longer than {longest} characters")
    if "\x00" in stripped:
        raise BadFactError(f"{field} has a NUL character")
    return stripped


def _description(value: str | None) -> str | None:
    """Return the text of a description; an empty one says that there are no words, none that they are not known."""
    return value and (_text("description_text", value, MAX_DESCRIPTION) if value.strip() else "")


def _optional_text(field: str, value: str | None, longest: int) -> str | None:
    return None if value is None else _text(field, value, longest)


def _matching(field: str, value: str, form: re.Pattern[str], longest: int) -> str:
    text = _text(field, value, longest)
    if not form.fullmatch(text):
        raise BadFactError(f"{field} {text[:60]!r} is malformed")
    return text


def _optional(field: str, value: str | None, form: re.Pattern[str], longest: int) -> str | None:
    return None if value is None else _matching(field, value, form, longest)


def _texts(field: str, values: tuple[str, ...], cleaned: Callable[[str], str]) -> tuple[str, ...]:
    if len(values) > _MAX_LIST:
        raise BadFactError(f"{field} has more than {_MAX_LIST} entries")
    return tuple(dict.fromkeys(map(cleaned, values)))


def _domain(value: str) -> str:
    return _matching("domains", value.lower(), _DOMAIN, 253).removeprefix("www.")


def _category(scope: Scope, value: str | None) -> str | None:
    if value is None:
        return None
    found = category_id(scope, value)
    if found is None:
        raise BadFactError(f"category {value[:60]!r} is no {scope} category")
    return found


def _country(value: str | None) -> str | None:
    found = _optional("country", value, _COUNTRY, 2)
    return found and found.upper()


def _count(field: str, value: int | None, highest: int) -> int | None:
    if value is not None and not 0 <= value <= highest:
        raise BadFactError(f"{field} is out of range")
    return value


def _instant(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        raise BadFactError("imported_at is no RFC 3339 instant") from None
    if instant.tzinfo is None:
        raise BadFactError("imported_at names no time zone")
    return instant.astimezone(UTC).isoformat()


def _published(value: str, today: Today) -> str:
    return _day("published_at", value, today)


def _observed(value: str, today: Today) -> str:
    return _day("observed_at", value, today)


def _broadcast(value: str | None) -> str | None:
    if value is not None and value not in BROADCASTS:
        raise BadFactError(f"broadcast must be one of {', '.join(sorted(BROADCASTS))}")
    return value


def _day(field: str, value: str, today: Today) -> str:
    """Return the day, in UTC, of a day or an instant."""
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        raise BadFactError(f"{field} is neither a day nor an RFC 3339 instant") from None
    day = (instant if instant.tzinfo is None else instant.astimezone(UTC)).date()
    if not EARLIEST_DAY <= day <= today() + timedelta(days=1):
        raise BadFactError(f"{field} {day} is before {EARLIEST_DAY} or in the future")
    return day.isoformat()

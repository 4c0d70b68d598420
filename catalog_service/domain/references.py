"""References: the possible meanings of a `sponsor` or `youtuber` argument.

Reading an argument gives keys to look up, the most specific first. The first rank at which anything
is found decides; several finds at that rank are an ambiguity that the caller has to settle.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from catalog_service.domain import arguments, public_ids
from catalog_service.domain.errors import Ambiguous, SponsorNotFound, YoutuberNotFound
from catalog_service.domain.name_keys import plain_digits
from catalog_service.domain.transliteration import latin
from shapes.catalog.shared import SponsorRef, YoutuberRef

MAX_CANDIDATES: Final = 5
MAX_FOUND: Final = MAX_CANDIDATES + 1
"""One more than are listed, so that several stay several."""

AS_WRITTEN: Final = 2
"""The rank of a sponsor found by the name as it was written; ids, slugs and videos are below, other spellings above."""

R = TypeVar("R", SponsorRef, YoutuberRef)

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[^\W\d_][\w-]+", re.IGNORECASE)
_CHANNEL_ID: Final = re.compile(r"UC[\w-]{22}", re.ASCII)
_YOUTUBE_HOST: Final = "youtube.com"
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_VIDEO_ID: Final = re.compile(r"[\w-]{11}", re.ASCII)
_WORD: Final = re.compile(r"[A-Za-z]?[a-z]+|[A-Z]+")
"""A word in the usual case, which no id of a video looks like."""
_URL: Final = re.compile(r"https?://\S+")
_PUNCTUATION: Final = "?.,;:!)]}\"'"
_VIDEO_PATHS: Final = frozenset({"shorts", "live", "embed", "v"})
_TRACKING_HOSTS: Final = frozenset(
    "7tiv.net adj.st app.link evyy.net go.link go2cloud.org grsm.io hasoffers.com onelink.me page.link "
    "prf.hn pxf.io sjv.io".split()
)
"""Hosts of deep links whose subdomain is the brand's."""


@dataclass(frozen=True, slots=True)
class VideoReference:
    """Keys to look up: id, YouTube id, our key; `is_bare` if the text may be a name as well."""

    number: int | None
    video_id: str
    key: str
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class SponsorReference:
    """Keys to look up, in this order: id, slug, names (compared normalised).

    A sponsor may also be meant by a video that it sponsors, and by the `host` of a web address.
    """

    text: str
    number: int | None
    slug: str
    names: tuple[str, ...]
    host: str | None = None
    video: VideoReference | None = None

    @property
    def names_video(self) -> bool:
        """Return true for an id or address of a video, which stands for its sponsors."""
        return self.video is not None and not self.video.is_bare

    @property
    def is_address(self) -> bool:
        """Return true for an id, a slug of several words or a web address; not for YouTube's bare id of a video."""
        is_id = (self.number or self.host) is not None or self.names_video
        return is_id or _SLUG.fullmatch(self.slug) is not None


@dataclass(frozen=True, slots=True)
class YoutuberReference:
    """Keys to look up, in this order: id, channel id, our key, then handle or normalised name.

    A youtuber may also be meant by a video of theirs.
    """

    text: str
    number: int | None
    channel_id: str | None
    key: str
    handle: str | None
    name: str | None
    video: VideoReference | None = None

    @property
    def is_address(self) -> bool:
        """Return true for an id, a handle or a web address."""
        return self.names_video or self.names_youtuber

    @property
    def names_youtuber(self) -> bool:
        """Return true for what nothing but a creator has: an id, a handle or the address of a channel."""
        is_id = (self.number or self.channel_id) is not None
        return is_id or (self.handle is not None and self.name != self.text)

    @property
    def names_video(self) -> bool:
        """Return true for an id or address of a video, which stands for its creator."""
        return self.video is not None and not self.video.is_bare


@dataclass(frozen=True, slots=True)
class Candidate(Generic[R]):
    """A possible meaning of a reference; a lower `rank` is a more specific match.

    `hint` distinguishes it from others of the same name.
    """

    rank: int
    ref: R
    hint: str


def read_sponsor(field: str, argument: str) -> SponsorReference:
    text = arguments.text(field, argument, longest=300)
    number = public_ids.spoken_number(text, "sp")
    video = _named_video(text)
    host = _host(text)
    names = (text, latin(text) or text)
    if host and not video:
        names = (*_host_and_parents(host), *_tracked(host), *(() if "/" in text else (text,)))
    return SponsorReference(text, number, text, tuple(dict.fromkeys(names)), host, video)


def read_youtuber(field: str, argument: str) -> YoutuberReference:
    text = arguments.text(field, argument, longest=300)
    number = public_ids.spoken_number(text, "yt")
    video = _named_video(text)
    if video and not video.is_bare:
        return YoutuberReference(text, number, None, text, None, None, video)
    spoken = _youtube_path(text) or text
    if _CHANNEL_ID.fullmatch(spoken):
        return YoutuberReference(text, number, spoken, text, None, None)
    if spoken.startswith("@"):
        return YoutuberReference(text, number, None, text, spoken.lower(), None)
    return YoutuberReference(text, number, None, text, f"@{spoken.lower()}", spoken, video)


def read_video(field: str, argument: str) -> VideoReference:
    text = arguments.text(field, argument, longest=300)
    number = public_ids.spoken_number(text, "v")
    return VideoReference(number, _video_in_url(text) or text, text)


def main_label(host: str) -> str:
    """Return the part of a host that is most likely a name: the longest but for the last."""
    return max(host.split(".")[:-1], key=len)


def _named_video(text: str) -> VideoReference | None:
    """Return the video if the text is the id or the URL of one."""
    number, video_id = public_ids.spoken_number(text, "v"), _video_in_url(text)
    if number is not None or video_id is not None:
        return VideoReference(number, video_id or text, text)
    if _VIDEO_ID.fullmatch(text) and not _WORD.fullmatch(text):
        return VideoReference(None, text, text, is_bare=True)
    return None


def _video_in_url(text: str) -> str | None:
    """Return YouTube's id of the video in the URL of its page."""
    within = _URL.search(text)
    if within:
        text = within[0].rstrip(_PUNCTUATION)
    host = (_host(text) or "").removeprefix("m.")
    if not is_youtube(host):
        return None
    url = urlsplit(text if "://" in text else f"//{text}")
    parts = [part for part in url.path.split("/") if part]
    if host == "youtu.be":
        return parts[0] if parts else None
    if len(parts) > 1 and parts[0] in _VIDEO_PATHS:
        return parts[1]
    return parse_qs(url.query).get("v", [None])[0]


def _host(text: str) -> str | None:
    """Return the host of a URL or of something like one, without "www."."""
    if " " in text or "." not in text:
        return None
    try:
        host = urlsplit(text if "://" in text else f"//{text}").hostname or ""
    except ValueError:
        return None
    host = host.removeprefix("www.")
    return host if _HOST.fullmatch(host) else None


def _host_and_parents(host: str) -> tuple[str, ...]:
    labels = host.split(".")
    return tuple(".".join(labels[start:]) for start in range(len(labels) - 1))


def _tracked(host: str) -> tuple[str, ...]:
    """Return the brand's part of a host of deep links."""
    brand, _, rest = host.partition(".")
    return (brand,) if rest in _TRACKING_HOSTS else ()


def is_site(text: str) -> bool:
    """Return whether a text is the address of a whole web site that is not YouTube."""
    host = _host(text)
    if host is None or is_youtube(host):
        return False
    return not urlsplit(text if "://" in text else f"//{text}").path.strip("/")


def is_youtube(host: str) -> bool:
    """Return whether pages of channels and videos are at this host, given without "www."."""
    return host.removeprefix("m.") in {_YOUTUBE_HOST, "youtu.be"}


def _youtube_path(text: str) -> str | None:
    """Return the channel id, "@handle" or custom name in a channel's URL."""
    host = _host(text)
    if host is None or host.removeprefix("m.") != _YOUTUBE_HOST:
        return None
    path = urlsplit(text if "://" in text else f"//{text}").path
    parts = [unquote(part) for part in path.split("/") if part]
    if len(parts) > 1 and parts[0] in {"channel", "c", "user"}:
        return parts[1]
    return parts[0] if parts else None


def settle_sponsor(
    field: str,
    argument: str,
    found: Sequence[Candidate[SponsorRef]],
    near: Sequence[str],
    namesakes: Sequence[Candidate[YoutuberRef]] = (),
) -> SponsorRef:
    """Return the one sponsor that the candidates agree on.

    Raises:
        SponsorNotFound: There are none; the message has the names in `near`, and the first of the creators of that name.
        Ambiguous: Several match equally well.
    """
    if not found:
        message = _not_found("brand", argument, near) + _namesake(
            namesakes, "creator", "youtuber.get"
        )
        raise SponsorNotFound(message, details={"field": field})
    return _settle(field, argument, found)


def settle_youtuber(
    field: str,
    argument: str,
    found: Sequence[Candidate[YoutuberRef]],
    near: Sequence[str],
    namesakes: Sequence[Candidate[SponsorRef]] = (),
) -> YoutuberRef:
    """Return the one youtuber that the candidates agree on; raises as `settle_sponsor` does."""
    if not found:
        message = _not_found("creator", argument, near) + _namesake(
            namesakes, "brand", "sponsor.get"
        )
        raise YoutuberNotFound(message, details={"field": field})
    return _settle(field, argument, found)


def refuse_youtuber(field: str, argument: str, found: Sequence[Candidate[YoutuberRef]]) -> None:
    """Raise `SponsorNotFound` if what was sent for a brand is a creator."""
    if found:
        raise SponsorNotFound(
            _is_other(argument, most_specific(found)[0].ref, "a creator", "brand", "youtuber.get"),
            details={"field": field, "other_type": "youtuber"},
        )


def refuse_sponsor(field: str, argument: str, found: Sequence[Candidate[SponsorRef]]) -> None:
    """Raise `YoutuberNotFound` if what was sent for a creator is a brand."""
    if found:
        raise YoutuberNotFound(
            _is_other(argument, most_specific(found)[0].ref, "a brand", "creator", "sponsor.get"),
            details={"field": field, "other_type": "sponsor"},
        )


def found_elsewhere(words: str, found: Sequence[Candidate[R]], noun: str, tool: str) -> str | None:
    """Return what of the other kind is meant by words that found nothing; None if nothing is."""
    if not found:
        return None
    best = most_specific(found)
    ids = ", ".join(f"{item.ref.name[:80]} ({item.ref.id})" for item in best[:MAX_CANDIDATES])
    return f"{words[:80]!r} is {noun}: {ids}. Search with `{tool}`."


def _namesake(found: Sequence[Candidate[R]], noun: str, tool: str) -> str:
    """Return what else has the name that was sent; nothing where nothing has."""
    if not found:
        return ""
    best = most_specific(found)
    whose = f"the {noun}" if len(best) == 1 else f"several {noun}s, such as"
    return f" It is the name of {whose} {best[0].ref.id}, which `{tool}` takes."


def _is_other(
    argument: str, ref: SponsorRef | YoutuberRef, noun: str, wanted: str, tool: str
) -> str:
    return (
        f"{argument.strip()[:80]!r} is {noun}, {ref.name[:80]!r} ({ref.id}), and no {wanted}: "
        f"give it to `{tool}`, or a {wanted} here."
    )


def most_specific(found: Sequence[Candidate[R]]) -> list[Candidate[R]]:
    """Return the candidates of the lowest rank; none of none."""
    rank = min((candidate.rank for candidate in found), default=0)
    return [candidate for candidate in found if candidate.rank == rank]


def is_spelled(reference: SponsorReference, found: Candidate[SponsorRef]) -> bool:
    """Return whether a sponsor has the name or the address that was sent.

    A part of its domain or the text in Latin letters is only near to it. In a name without letters every sign counts:
    "1+1" and "1&1" are two names, though both are compared as "11".
    """
    if reference.host is not None or found.rank < AS_WRITTEN:
        return True
    if found.rank > AS_WRITTEN:
        return False
    has_letters = any(character.isalpha() for character in reference.text)
    return has_letters or plain_digits(reference.text) == plain_digits(found.ref.name)


_NEXT_STEPS: Final = {
    "brand": "Look for it with `sponsor.search`, or give its web domain.",
    "creator": "Look for them with `youtuber.search`; `channel.import` brings a channel that is not known yet.",
}


def _not_found(noun: str, argument: str, near: Sequence[str]) -> str:
    message = f"The catalogue knows no {noun} {argument.strip()[:80]!r}."
    if not near:
        return f"{message} {_NEXT_STEPS[noun]}"
    *others, last = near
    names = f"{', '.join(others)} or {last}" if others else last
    return f"{message} Did you mean {names}?"


def _settle(field: str, argument: str, found: Sequence[Candidate[R]]) -> R:
    best = most_specific(found)
    if len(best) == 1:
        return best[0].ref
    listed = best[:MAX_CANDIDATES]
    names = "; ".join(f"{item.ref.id} {item.ref.name} ({item.hint})" for item in listed)
    candidates = [{"id": item.ref.id, "name": item.ref.name, "hint": item.hint} for item in listed]
    raise Ambiguous(
        f"`{field}` {argument.strip()[:80]!r} fits several: {names}. Call again with one of the ids.",
        details={"field": field, "candidates": json.dumps(candidates, ensure_ascii=False)},
    )

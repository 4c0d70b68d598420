"""The Data API: channels.list, playlistItems.list and videos.list, each for a unit of the day."""

import base64
import binascii
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from devstack.youtube import fields, payloads
from devstack.youtube.catalogue import Catalogue, MadeChannel
from devstack.youtube.payloads import Json

PARTS: Final = {
    "channels": frozenset({"id", "snippet", "statistics", "contentDetails"}),
    "playlistItems": frozenset({"id", "snippet", "contentDetails", "status"}),
    "videos": frozenset(
        {
            "id",
            "snippet",
            "contentDetails",
            "status",
            "statistics",
            "liveStreamingDetails",
            "paidProductPlacementDetails",
        }
    ),
}
"""The parts that are made; YouTube has more."""

_FILTERS: Final = {
    "channels": ("id", "forHandle", "forUsername"),
    "playlistItems": ("playlistId",),
    "videos": ("id",),
}
_COMMON: Final = frozenset(
    {"part", "maxResults", "pageToken", "fields", "key", "hl", "alt", "prettyPrint", "quotaUser"}
)
_ALWAYS: Final = frozenset({"kind", "etag", "id"})
_PACIFIC: Final = ZoneInfo("America/Los_Angeles")
_MAX_ITEMS: Final = 50
_USUAL: Final = 5


class Refused(Exception):  # noqa: N818 - named for what happened
    """The request is refused with an error."""

    def __init__(self, status: int, reason: str, message: str = "") -> None:
        super().__init__(reason)
        self.status = status
        self.payload = payloads.error(status, reason, message)


@dataclass(slots=True)
class Units:
    """The units of a day, and how many are used."""

    budget: int
    clock: Callable[[], datetime]
    used: int = 0
    _day: str = ""

    def take(self) -> None:
        """Take one.

        Raises:
            Refused: The day is used up.
        """
        day = self.clock().astimezone(_PACIFIC).date().isoformat()
        if day != self._day:
            self._day, self.used = day, 0
        if self.used >= self.budget:
            raise Refused(
                403, "quotaExceeded", "The request cannot be completed: you exceeded your quota."
            )
        self.used += 1


@dataclass(slots=True)
class Api:
    """Serves requests from a catalogue.

    `keys` are those that are taken; None takes any.
    """

    catalogue: Catalogue
    units: Units
    keys: Collection[str] | None = None

    def query(self, resource: str, params: Mapping[str, str], key: str | None) -> Json:
        """Return the response to a request.

        Raises:
            Refused: As YouTube would.
        """
        self._admit(key)
        selector = _filter(resource, params)
        parts = _parts(resource, params)
        tree = _tree(params)
        if resource == "channels":
            payload = self._channels(selector, params[selector])
        elif resource == "videos":
            payload = self._videos(params["id"])
        else:
            payload = self._uploads(params)
        if "items" in payload:
            payload["items"] = [_only(item, parts) for item in payload["items"]]
        chosen: Json = fields.pick(payload, tree)
        return chosen

    def _admit(self, key: str | None) -> None:
        if not key:
            raise Refused(403, "forbidden", "The request is missing a valid API key.")
        if self.keys is not None and key not in self.keys:
            raise Refused(400, "keyInvalid", "API key not valid. Please pass a valid API key.")
        self.units.take()

    def _channels(self, selector: str, value: str) -> Json:
        catalogue = self.catalogue
        found: list[MadeChannel | None]
        if selector == "id":
            found = [catalogue.by_id(item) for item in _ids(value)]
        elif selector == "forHandle":
            found = [catalogue.by_handle(value)]
        else:
            found = [catalogue.by_username(value)]
        items = [payloads.channel(item) for item in found if item]
        return payloads.listing("channel", items, len(items), _USUAL)

    def _videos(self, value: str) -> Json:
        found = (self.catalogue.video(item) for item in _ids(value))
        items = [payloads.video(*item) for item in found if item]
        return payloads.listing("video", items, len(items), len(items))

    def _uploads(self, params: Mapping[str, str]) -> Json:
        """Return a page; YouTube has no playlist of uploads where there never was one."""
        size = _size(params)
        channel = self.catalogue.by_playlist(params["playlistId"])
        entries = channel.newest_first() if channel else []
        if channel is None or not entries:
            raise Refused(404, "playlistNotFound", "The playlist cannot be found.")
        start = _start(params.get("pageToken"), channel.uploads)
        shown = entries[start : start + size]
        items = [
            payloads.upload(channel, video, start + index) for index, video in enumerate(shown)
        ]
        payload = payloads.listing("playlistItem", items, len(entries), size)
        if start + size < len(entries):
            payload["nextPageToken"] = _token(start + size, channel.uploads)
        if start:
            payload["prevPageToken"] = _token(max(0, start - size), channel.uploads)
        return payload


def _filter(resource: str, params: Mapping[str, str]) -> str:
    known = _FILTERS[resource]
    unknown = params.keys() - _COMMON - set(known)
    if unknown:
        raise Refused(400, "badRequest", f'Unknown name "{min(unknown)}": Cannot bind parameter.')
    names = [name for name in known if params.get(name)]
    if len(names) != 1:
        reason = "missingRequiredParameter" if not names else "incompatibleParameters"
        raise Refused(400, reason, "Give one filter.")
    return names[0]


def _parts(resource: str, params: Mapping[str, str]) -> frozenset[str]:
    parts = frozenset(filter(None, params.get("part", "").split(",")))
    if not parts:
        raise Refused(400, "missingRequiredParameter", "Required parameter: part")
    if parts - PARTS[resource]:
        raise Refused(400, "unknownPart", f"{min(parts - PARTS[resource])} is no part.")
    return parts


def _tree(params: Mapping[str, str]) -> fields.Tree:
    selector = params.get("fields")
    try:
        return fields.parse(selector) if selector else {}
    except fields.BadFields:
        raise Refused(400, "invalidParameter", f"Invalid field selection {selector}") from None


def _only(item: Json, parts: frozenset[str]) -> Json:
    return {name: value for name, value in item.items() if name in parts or name in _ALWAYS}


def _ids(value: str) -> list[str]:
    ids = list(dict.fromkeys(value.split(",")))
    if len(ids) > _MAX_ITEMS:
        raise Refused(400, "invalidFilters", f"At most {_MAX_ITEMS} ids.")
    return ids


def _size(params: Mapping[str, str]) -> int:
    text = params.get("maxResults", str(_USUAL))
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MAX_ITEMS):
        raise Refused(400, "invalidParameter", f"Invalid value '{text}': from 0 to {_MAX_ITEMS}.")
    return int(text)


def _token(start: int, playlist: str) -> str:
    return base64.urlsafe_b64encode(f"{start}:{playlist}".encode()).decode().rstrip("=")


def _start(token: str | None, playlist: str) -> int:
    """Return the first index of a token's page; tokens are of one playlist."""
    if token is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
        start, _, of = text.partition(":")
        if of == playlist:
            return int(start)
    except (binascii.Error, ValueError):
        pass
    raise Refused(400, "invalidPageToken", "The request specifies an invalid page token.")

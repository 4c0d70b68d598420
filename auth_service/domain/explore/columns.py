"""Columns of tables: the value of a row, for a page and for CSV, and where it leads."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from servicekit.csv_rows import bare_handle

Row = Any
"""An entry of a list in an answer."""

Value = str | int | float | None

_SAFE: Final = "@"

PICTURE_HOST: Final = "https://i.ytimg.com"
"""Where YouTube keeps thumbnails, by the ids of videos."""

_VIDEO_ID: Final = re.compile(r"[\w-]{11}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        key: Its name in addresses and in the first line of CSV.
        label: Its heading.
        value: The value of a row, as it goes into CSV.
        form: text, number, share (0 to 1), day, words (an id of several words), category, country or code.
        substitute: What a page shows where the value is not known.
        href: Where a cell leads; nowhere if None or if it gives nothing.
        note: A second line of a cell, of the form `note_form`.
        bar: The key of the column whose amounts are drawn as bars in this one; none if it is empty.
        picture: The address of a picture of the row on YouTube's image host; none if it gives nothing.
        explanation: What its values mean, for people; empty where the label says it.
        ids: Further columns that CSV has after it, such as the ids of what it names.
    """

    key: str
    label: str
    value: Callable[[Row], Value]
    form: str = "text"
    substitute: Callable[[Row], Value] | None = None
    href: Callable[[Row], str | None] | None = None
    note: Callable[[Row], str] | None = None
    bar: str = ""
    picture: Callable[[Row], str | None] | None = None
    note_form: str = "text"
    explanation: str = ""
    ids: "Sequence[Column]" = ()

    @property
    def is_number(self) -> bool:
        return self.form in ("number", "share", "day")


def at(path: str) -> Callable[[Row], Any]:
    """Return a reader of the value at a dotted path, None where a part of it is absent."""
    steps = path.split(".")

    def read(row: Row) -> Any:
        for step in steps:
            if row is None:
                return None
            row = row.get(step)
        return row

    return read


def text(key: str, label: str, path: str | None = None) -> Column:
    return Column(key, label, at(path or key))


def words(key: str, label: str, path: str | None = None, explanation: str = "") -> Column:
    return Column(key, label, at(path or key), "words", explanation=explanation)


def number(key: str, label: str, path: str | None = None) -> Column:
    return Column(key, label, at(path or key), "number")


def share(key: str, label: str, path: str | None = None, explanation: str = "") -> Column:
    return Column(key, label, at(path or key), "share", explanation=explanation)


def status(explanation: str) -> Column:
    return words("status", "Status", explanation=explanation)


def day(key: str, label: str, path: str | None = None) -> Column:
    return Column(key, label, at(path or key), "day")


def joined(key: str, label: str, form: str = "text") -> Column:
    """Return a column of a list of texts, in one cell."""
    read = at(key)

    def value(row: Row) -> str:
        items: Iterable[str] = read(row) or ()
        return ", ".join(items)

    return Column(key, label, value, form)


def brand(path: str = "sponsor", bar: str = "") -> Column:
    """Return the column of a brand's name, which leads to its page, with bars of another column."""
    read = at(path) if path else _itself
    category = at(f"{path}.category" if path else "category")
    return Column(
        "sponsor",
        "Brand",
        lambda row: read(row)["name"],
        href=lambda row: sponsor_path(read(row)["slug"]),
        note=lambda row: category(row) or "",
        bar=bar,
        note_form="category",
        ids=_ids(path, "slug", "domain"),
    )


def creator(path: str = "youtuber") -> Column:
    """Return the column of a creator's name, which leads to their page."""
    read = at(path) if path else _itself
    return Column(
        "youtuber",
        "Creator",
        lambda row: read(row)["name"],
        href=lambda row: youtuber_path(reference_of(read(row))),
        note=lambda row: read(row).get("handle") or "",
        ids=[
            *_ids(path, "channel_id"),
            Column("handle", "handle", lambda row: bare_handle(read(row).get("handle"))),
        ],
    )


def video(path: str = "video") -> Column:
    """Return the column of a video's title, which leads to YouTube."""
    read = at(path)
    return Column(
        "title",
        "Video",
        lambda row: read(row)["title"],
        substitute=lambda row: read(row)["video_id"],
        href=lambda row: https(read(row)["url"]),
        note=lambda row: "" if read(row)["format"] == "unknown" else str(read(row)["format"]),
        note_form="words",
        picture=lambda row: thumbnail(read(row)["video_id"]),
        ids=_ids(path, "video_id", "url"),
    )


def evidence() -> Column:
    """Return the column of the words that show a sponsorship; where they are not stored, of why it counts, and its link."""
    excerpt = at("evidence.excerpt")
    return Column(
        "evidence",
        "Evidence",
        excerpt,
        substitute=at("evidence.reason"),
        note=lambda row: "" if excerpt(row) else row.get("link") or "",
        ids=[text("reason", "reason", "evidence.reason"), text("link", "link")],
    )


def _ids(path: str, *keys: str) -> Sequence[Column]:
    return [text(key, key, f"{path}.{key}" if path else key) for key in keys]


def thumbnail(video_id: str | None) -> str | None:
    """Return the address of a video's thumbnail, 320 by 180 pixels; None for an id that is not YouTube's."""
    is_youtubes = video_id is not None and _VIDEO_ID.fullmatch(video_id) is not None
    return f"{PICTURE_HOST}/vi/{video_id}/mqdefault.jpg" if is_youtubes else None


def https(url: str | None) -> str | None:
    """Return an address that is safe to link to, None for any other."""
    return url if url and url.startswith("https://") else None


def reference_of(youtuber: Row) -> str:
    """Return the readable name by which tools and pages know a creator."""
    return youtuber.get("handle") or youtuber.get("channel_id") or youtuber["id"]


def sponsor_path(slug: str) -> str:
    return f"/explore/sponsors/{quote(slug, safe=_SAFE)}"


def youtuber_path(reference: str) -> str:
    return f"/explore/youtubers/{quote(reference, safe=_SAFE)}"


def category_path(category: str) -> str:
    return f"/explore/categories/{quote(category, safe=_SAFE)}"


def _itself(row: Row) -> Row:
    return row

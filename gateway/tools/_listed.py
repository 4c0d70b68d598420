"""Schemas as `tools/list` has them: what a model needs to call well, in few words.

The whole schemas, with every bound and every field described, are what calls are held against, what docs/tools.md
shows and what versions promise (docs/versioning.md). A listed schema takes whatever the whole one takes: whoever
breaks a bound that is left out gets an error that names it.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

Schema = dict[str, Any]

TOOLSET: Final = "x-toolset"
"""The key of an argument that only connections list which choose this toolset; all can give it."""

ANY_TOOLSET: Final = "any"
"""The value for an argument that every connection lists which chooses toolsets."""

_LEFT_OUT: Final = frozenset(
    {
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minimum",
        "pattern",
        "examples",
        "description",
        TOOLSET,
    }
)
_LARGEST_LISTED: Final = 1_000_000
_BRIEF: Final[dict[str, str]] = {
    "active_since": "",
    "content_category": "Of the video; id of category.list.",
    "cursor": "",
    "in_list": "Saved list: id or name.",
    "not_in_list": "Saved list: id or name.",
    "fields": "Paths in the answer, such as coverage.last_video.",
    "idempotency_key": "Same key, same result, no charge.",
    "limit": "",
    "max_subscribers": "",
    "min_confidence": "",
    "min_subscribers": "",
    "min_videos": "",
    "since": "",
    "until": "",
}
"""Descriptions of arguments whose name says most of it, whatever the tool."""

_BRIEF_TEXTS: Final[Mapping[str, str]] = {
    "Sponsorships of these kinds; all kinds if absent.": "",
    "Sponsorships of these kinds. If absent, paid work: paid_sponsorship, promo_code and affiliate; "
    "free products for review are left out.": "All but free_product if absent.",
    "Ids, names, @handles, channel ids (UC…), web domains or URLs of the brands or creators.": "Ids, names or URLs.",
    "The creator: id, channel id (UC…), @handle, channel or video URL, or name.": "Id, @handle, URL or name.",
    "The brand: id, slug, web domain, link or name.": "Id, domain, link or name.",
    "The video: URL, YouTube id, or the id that an answer has for it.": "URL or id.",
    "A YouTube channel: its id (UC…), its @handle, the URL of the channel or of one of its videos. Or the name of a creator "
    "that youtuber.search knows.": "Id (UC…), @handle, URL of it or of one of its videos, or a creator's name.",
    "The listed brand that the report is about: id, slug, web domain or name. Needed for wrong and wrong_kind, without "
    "`sponsorship`.": "The listed brand. Needed for wrong and wrong_kind, without `sponsorship`.",
    "The brand that sponsored the video: id, slug, web domain or name, known here or not. Needed for missing.": "The brand that "
    "sponsored it, known here or not. Needed for missing.",
    "Brands from this country, ISO 3166-1 alpha-2.": "Of the brand, such as US.",
    "Creators from this country, ISO 3166-1 alpha-2.": "Of the creator, such as US.",
    "Brands of this category; ids come from category.list.": "Of the brand; id of category.list.",
    "Channels of this content category; ids come from category.list.": "Of the channel; id of category.list.",
    'Words of title or description, all of them; "a phrase", -excluded, one OR another. Endings count in the '
    "video's language only.": 'Words, "a phrase", -excluded, one OR another.',
    "Order of the answer.": "",
    "The listed sponsorship that the report is about, by its `id` in an answer; it stands for `video` and `sponsor`.": "Its `id`, "
    "for video and sponsor.",
    "The video: id, YouTube id or URL. Needed without `sponsorship`.": "Id or URL.",
    "Only the category that an id, a name or a synonym such as vpn means.": "",
    "Add the record of paid work, which takes longer.": "",
    "Deprecated since 2026-11-22, will be removed after 2027-06-01. Use `kinds` instead. Sponsorships of this kind.": "Use `kinds`.",
    "Relations that are active today, that lapsed, or that are unknown as the channel's data end too early or are too "
    "few.": "",
    "Two to five creators: id, channel id (UC…), @handle, channel URL or name of each.": "Two to five, as of youtuber.get.",
    "Two to five brands: id, slug, web domain or name of each.": "Two to five, as of sponsor.get.",
    "Step of the time series; auto: the shortest with at most 40 points.": "auto: at most 40 points.",
    "Name (in any alphabet), alias, id, domain or link of the brand; typing errors are tolerated. The URL of a "
    "video finds its sponsors.": "Name (typing errors allowed), domain or link; a video's URL finds its sponsors.",
    "Name (in any alphabet), @handle, id or channel URL of the creator; typing errors are tolerated. The URL of a "
    "video finds its creator.": "Name (typing errors allowed), @handle, id, channel or video URL.",
    "Creators whose videos were looked at and name no sponsorship of this brand: id, "
    "slug, web domain or name.": "A brand that the known videos do not name.",
    "Creators that this brand sponsored: id, slug, web domain or name.": "A brand: id, domain or name.",
    "Creators with a sponsor of this category of brands; ids come from category.list.": "Of a brand; id of category.list.",
    "Order of the answer; oldest: those seen last longest ago first.": "oldest: last seen longest ago.",
}
"""Shorter words for descriptions that several tools repeat."""


_TAUGHT: Final = frozenset({"last_seen", "relation_last_seen", "status", "known_until"})
"""Fields of relations whose names alone mislead: some are of the filters, and some of all that is known."""


def listed_input(schema: Schema, toolsets: frozenset[str] | None = None) -> Schema:
    """Return the schema of arguments as a client lists it that chooses these toolsets; None chooses none.

    Unknown arguments are refused by the call, whose error names the nearest one; a client that checks on its own lets
    former names pass. Defaults are told in words: OpenAI refuses the keyword in schemas that are to be followed strictly.
    A schema that names its dialect is its author's own, and is listed as it is.
    """
    if "$schema" in schema:
        return schema
    properties = cast("dict[str, Schema]", schema.get("properties", {}))
    brief = _BRIEF | {"detail": "full adds the record." if "record" in properties else ""}
    listed = {
        name: _argument(name, field, brief)
        for name, field in properties.items()
        if _is_listed(field, toolsets)
    }
    rest = {
        key: value
        for key, value in schema.items()
        if key not in ("properties", "additionalProperties")
    }
    return {"type": "object", "properties": listed, **rest}


def _is_listed(field: Schema, toolsets: frozenset[str] | None) -> bool:
    toolset = field.get(TOOLSET)
    return toolset is None or (
        toolsets is not None and (toolset == ANY_TOOLSET or toolset in toolsets)
    )


def _argument(name: str, field: Schema, brief: Mapping[str, str]) -> Schema:
    if "x-mcp-header" in field:
        return field
    bare = {key: value for key, value in field.items() if key not in _LEFT_OUT and key != "items"}
    default = bare.pop("default", None)
    if bare.get("maximum", 0) > _LARGEST_LISTED:
        del bare["maximum"]
    if "items" in field:
        bare["items"] = {
            key: value for key, value in field["items"].items() if key not in _LEFT_OUT
        }
    described: str = field.get("description", "")
    text = brief.get(name, described)
    text = _BRIEF_TEXTS.get(text, text)
    if default and name != "limit":
        text = f"{text} Default: {default}.".lstrip()
    return {**bare, "description": text} if text else bare


def listed_output(schema: Schema) -> Schema:
    """Return the schema of structured content as a client lists it: types, and descriptions of the fields of relations.

    Objects within entries of lists are objects without members named.
    """
    if "properties" not in schema:
        return schema
    definitions = schema.get("$defs", {})
    properties = cast("dict[str, Schema]", schema["properties"])
    shapes: dict[str, Schema] = {}
    listed = {
        name: _result_field(field, definitions, shapes)
        for name, field in properties.items()
        if name != "error"
    }
    return {
        "type": "object",
        "properties": {**listed, "error": {"type": "object"}},
        **({"$defs": shapes} if shapes else {}),
    }


def _result_field(field: Schema, definitions: Schema, shapes: dict[str, Schema]) -> Schema:
    if "items" in field and "$ref" in field["items"]:
        reference = str(field["items"]["$ref"])
        name = reference.rpartition("/")[2]
        shapes[name] = _entry(definitions[name])
        return {"type": "array", "items": {"$ref": reference}}
    return _shallow(field)


def _entry(shape: Schema) -> Schema:
    properties = cast("dict[str, Schema]", shape["properties"])
    taught = _TAUGHT if properties.keys() >= _TAUGHT else frozenset[str]()
    shallow = {name: _shallow(field) for name, field in properties.items()}
    return {
        "type": "object",
        "properties": {
            name: {**field, "description": properties[name]["description"]}
            if name in taught
            else field
            for name, field in shallow.items()
        },
    }


def _shallow(field: Schema) -> Schema:
    if "$ref" in field:
        return {"type": "object"}
    if "anyOf" in field:
        return {"type": ["object", "null"]}
    if field.get("type") == "array":
        items = field["items"]
        return {"type": "array", "items": {"type": items.get("type", "object")}}
    return {"type": field["type"]}

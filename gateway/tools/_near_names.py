"""Names that a caller may mean by another: of tools, arguments, and enumerated values."""

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

_LONGEST: Final = 80
_LIKENESS_OF_VALUES: Final = 0.75
_LIKENESS_OF_ARGUMENTS: Final = 0.6
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS: Final = re.compile(r"[\s._/-]+")

_VALUES: Final[Sequence[frozenset[str]]] = tuple(
    frozenset(line.split())
    for line in """
paid_sponsorship paid sponsored sponsorship ad advertisement integration
promo_code promo code coupon coupon_code discount discount_code promotion_code
affiliate affiliate_link affiliation referral
free_product gifted gift free product sample pr pr_sample
active current ongoing
lapsed inactive ended expired former past
sponsor brand advertiser company
youtuber creator channel influencer
longform long regular
short reel
live livestream live_stream stream
newest recent latest date
oldest earliest
view view_count popularity
subscriber follower subscriber_count
name alphabetical title
rising up growing growth increasing trending
falling down declining decline decreasing
all any both every
month monthly
quarter quarterly
year yearly annual annually
brief minimal compact summary
standard normal default medium
full complete verbose
queued pending
running in_progress processing
done finished completed complete succeeded
failed error
cancelled canceled
jsonl json ndjson
markdown md
quota usage
import import_job
""".strip().splitlines()
)
"""Words with the same meaning where values are enumerated, in the singular."""

_ARGUMENTS: Final[Sequence[tuple[frozenset[str], tuple[str, ...]]]] = tuple(
    (frozenset(sent.split()), tuple(meant.split()))
    for sent, _, meant in (
        line.partition(" > ")
        for line in """
query q keyword keywords term terms text search_term search_query > search about sponsor youtuber code video
search about topic > search about
name title > search sponsor youtuber list
names > sponsors youtubers
brand brand_name company advertiser sponsor_name sponsor_id > brand sponsor sponsored_by sponsors search
brands companies > sponsors
creator influencer youtuber_id youtuber_name channel_id channel handle author > youtuber channel youtubers channels
creators channels > youtubers channels
id > sponsor youtuber video list import_id watch_id
slug domain website > sponsor search
url link > video channel youtuber sponsor search
video_id video_url youtube_id > video youtuber
count n size max max_results num number page_size per_page top top_k first take > limit rows
limit > rows
page offset next next_cursor page_token after_cursor > cursor
order order_by sort_by orderby sorting ordering rank_by > sort metric
from start start_date date_from begin after published_after > since active_since
end end_date date_to before published_before > until
date day > since active_since
kind type types sponsorship_type sponsorship_kind > kinds
region location geo country_code market > country
industry niche vertical topic genre > category content_category sponsor_category
confidence threshold min_score score > min_confidence
interval step resolution bucket > granularity
columns include select projection > fields
verbosity level > detail
list list_id list_name > list in_list
exclude_list > not_in_list
statement query > sql
status > state
state > status
""".strip().splitlines()
    )
)
"""Names that callers send for others, and the arguments that may be meant, the likeliest first."""


def nearest(name: str, names: Iterable[str], count: int = 1, cutoff: float = 0.5) -> list[str]:
    """The names most like `name`, best first, upper and lower case being alike; `cutoff` is the least likeness, from 0 to 1."""
    by_folded = {item.casefold(): item for item in names}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=count, cutoff=cutoff)
    return [by_folded[item] for item in found]


def meant_value(text: str, allowed: Iterable[str]) -> str | None:
    """Return the enumerated value that a text may mean: by case, separators, plural, a synonym or a typing error; None without any."""
    folded = _folded(text)
    by_folded = {_folded(value): value for value in allowed}
    if folded in by_folded:
        return by_folded[folded]
    for words in _VALUES:
        if folded in words and (meant := next(filter(words.__contains__, by_folded), None)):
            return by_folded[meant]
    close = nearest(folded, by_folded, cutoff=_LIKENESS_OF_VALUES)
    return by_folded[close[0]] if close else None


def meant_argument(name: str, allowed: Collection[str]) -> str | None:
    """Return the argument of these that a caller may mean by another name; None if none is likely."""
    snake = _SEPARATORS.sub("_", _HUMP.sub("_", name[:_LONGEST])).casefold()
    for part in (snake, *snake.split("_")):
        for form in (part, f"{part}s", part.removesuffix("s")):
            if form in allowed:
                return form
    groups = [meant for sent, meant in _ARGUMENTS if snake in sent]
    if groups:
        return next((item for meant in groups for item in meant if item in allowed), None)
    close = nearest(snake, allowed, cutoff=_LIKENESS_OF_ARGUMENTS)
    return close[0] if close else None


def _folded(text: str) -> str:
    """Return a value in lower case and the singular, with underscores between its words."""
    words = _SEPARATORS.sub("_", text[:_LONGEST].strip().casefold())
    return words if words.endswith("ss") else words.removesuffix("s")

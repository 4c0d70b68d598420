"""The kinds of events, and for how long they are news and are stored."""

from typing import Final

SPONSORSHIP_NEW: Final = "sponsorship.new"
"""A sponsorship of a recent video was found."""

SPONSORSHIP_FIRST: Final = "sponsorship.first"
"""It is the first that is known of the brand with the creator, whose videos are known from long before."""

RELATION_LAPSED: Final = "relation.lapsed"
"""A relation has lapsed, by the rule of `domain.relation_status`."""

NEWS_DAYS: Final = 30
"""Days since the publication of a video within which what is found in it is an event. The rest of an import is history,
of which a channel may have ten years."""

STORED_DAYS: Final = 90
"""Days for which events are stored; longer than they are news, so that none is written twice."""

MAX_PAGE: Final = 500
"""Events that one request may read."""

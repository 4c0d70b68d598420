"""Metrics of a second reader."""

from typing import Final

from prometheus_client import Counter

READER_REQUESTS: Final = Counter(
    "sponsorgraph_reader_requests",
    "Requests to the second reader by outcome: ok; timeout, unreachable, too_many_requests, server_error, which are "
    "repeated; redirected, refused, rejected, too_large, malformed, truncated, declined, which are not.",
    ["outcome"],
)
READER_VIDEOS: Final = Counter(
    "sponsorgraph_reader_videos",
    "Videos with unsure candidates by the source of the second reader's response: requested, cached, or none: failed, "
    "paused, over_budget.",
    ["result"],
)
READER_TOKENS: Final = Counter(
    "sponsorgraph_reader_tokens",
    "Tokens that the second reader says it has used, by direction: prompt, completion.",
    ["direction"],
)
READER_DECISIONS: Final = Counter(
    "sponsorgraph_reader_decisions",
    "Decisions of the second reader: accepted, renamed, rejected, unmentioned, added; dropped is a mention that the "
    "text does not bear out.",
    ["outcome"],
)

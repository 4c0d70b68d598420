"""The quota beside a result: header fields of the IETF draft, and `_meta` of results.

https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
"""

import math
import time
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from gateway.mcp.transport.http import Headers
from gateway.quota.models import QuotaState

META_KEY: Final = "sponsorgraph/quota"


def quota_meta(state: QuotaState) -> dict[str, object]:
    return {
        META_KEY: {
            "limit": state.limit,
            "remaining": state.remaining,
            "resets_at": state.resets_at,
        }
    }


def quota_headers(state: QuotaState) -> Headers:
    resets, policy = _of_month(state.limit, state.resets_at)
    left = max(0, math.ceil(resets - time.time()))
    return (b"ratelimit", f'"monthly";r={state.remaining};t={left}'.encode()), policy


@lru_cache(maxsize=64)
def _of_month(limit: int, resets_at: datetime) -> tuple[float, tuple[bytes, bytes]]:
    """Return the same for all calls of a plan: the end of the month in seconds, and the policy's field."""
    month_start = (resets_at - timedelta(days=1)).replace(day=1)
    window = round((resets_at - month_start).total_seconds())
    policy = f'"monthly";q={limit};w={window}'.encode()
    return resets_at.timestamp(), (b"ratelimit-policy", policy)

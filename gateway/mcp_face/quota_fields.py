"""The quota beside an answer: header fields of the IETF draft, and `_meta` of results.

https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
"""

import math
import time
from datetime import timedelta
from typing import Final

from gateway.domain.usage import QuotaState
from gateway.mcp_face.http import Headers

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
    left = max(0, math.ceil(state.resets_at.timestamp() - time.time()))
    month_start = (state.resets_at - timedelta(days=1)).replace(day=1)
    window = round((state.resets_at - month_start).total_seconds())
    return (
        (b"ratelimit", f'"monthly";r={state.remaining};t={left}'.encode()),
        (b"ratelimit-policy", f'"monthly";q={state.limit};w={window}'.encode()),
    )

"""The value of the header `Retry-After` (RFC 9110, section 10.2.3)."""

import math


def delay_seconds(wait: float) -> int:
    """Return whole seconds, at least one, after which `wait` seconds are over."""
    return max(1, math.ceil(wait))

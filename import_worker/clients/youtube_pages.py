"""Find the channel that a public page of YouTube belongs to.

Text that people wrote cannot pass for what is looked for: quotes are escaped in the page's JSON and
in its attributes alike.
"""

import re
from typing import Final

_ID: Final = rb"(UC[\w-]{22})"
_OF_CHANNEL: Final = (
    re.compile(rb'<link rel="canonical" href="[^"]*/channel/' + _ID + rb'"'),
    re.compile(rb'"externalId":"' + _ID + rb'"'),
)
_OF_VIDEO: Final = (
    *_OF_CHANNEL,
    re.compile(rb'"channelId":"' + _ID + rb'"'),
    re.compile(rb'<meta itemprop="(?:channelId|identifier)" content="' + _ID + rb'"'),
)
_NO_VIDEO: Final = re.compile(rb'"playabilityStatus":\{"status":"ERROR"')


def channel_of_channel_page(page: bytes) -> str | None:
    """Return the id of the channel whose page this is. Pages name other channels too."""
    return _first(_OF_CHANNEL, page)


def channel_of_video_page(page: bytes) -> str | None:
    """Return the id of the channel whose video is shown: the first one that the page names."""
    return None if is_without_video(page) else _first(_OF_VIDEO, page)


def is_without_video(page: bytes) -> bool:
    """Return whether the page says that there is no such video."""
    return _NO_VIDEO.search(page) is not None


def _first(patterns: tuple[re.Pattern[bytes], ...], page: bytes) -> str | None:
    for pattern in patterns:
        found = pattern.search(page)
        if found:
            return found.group(1).decode("ascii")
    return None

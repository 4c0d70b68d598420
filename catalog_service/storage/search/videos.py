"""The video that a reference to a sponsor or a youtuber may mean."""

from typing import Any, Final

from sqlalchemy import BigInteger, Text, bindparam, or_

from catalog_service.domain.references import VideoReference
from catalog_service.storage.tables import videos

MEANT_VIDEO: Final = or_(
    videos.c.id == bindparam("video_number", type_=BigInteger),
    videos.c.video_id == bindparam("youtube_id", type_=Text),
)


def video_values(video: VideoReference | None) -> dict[str, Any]:
    """Return the parameters of `MEANT_VIDEO`; without a video it holds for none."""
    return {
        "video_number": video and video.number,
        "youtube_id": video and video.video_id,
    }

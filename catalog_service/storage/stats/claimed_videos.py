"""Videos of one youtuber in a period that have sponsorships."""

from typing import Any

from sqlalchemy import ColumnElement, select

from catalog_service.storage.columns import AnySelect
from catalog_service.storage.tables import sponsorships

_p = sponsorships.c


def claimed_videos(
    number: ColumnElement[Any],
    start: ColumnElement[Any],
    end: ColumnElement[Any],
    *conditions: ColumnElement[bool],
) -> AnySelect:
    """Select the ids of the videos whose sponsorships meet the conditions.

    For IN: they are read together from the covering index. Looked up video by video they would lie all over the table.
    """
    of_period = (_p.youtuber_id == number, _p.published_on.between(start, end))
    return select(_p.video_id).where(*of_period, *conditions)

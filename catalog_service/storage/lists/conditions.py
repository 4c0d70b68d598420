"""Conditions by saved lists, whose parameter is the number of a list."""

from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, select

from catalog_service.storage.tables import saved_list_entries

_e = saved_list_entries.c
NAMES: Final = ("in_sponsors", "not_in_sponsors", "in_youtubers", "not_in_youtubers")


def of_sponsors(sponsor: ColumnElement[int]) -> dict[str, ColumnElement[bool]]:
    """Return the conditions on the number of a sponsor, by name."""
    return {
        "in_sponsors": sponsor.in_(sponsors_in("in_sponsors")),
        "not_in_sponsors": sponsor.not_in(sponsors_in("not_in_sponsors")),
    }


def of_youtubers(youtuber: ColumnElement[int]) -> dict[str, ColumnElement[bool]]:
    """Return the conditions on the number of a youtuber, by name."""
    return {
        "in_youtubers": youtuber.in_(_listed(_e.youtuber_id, "in_youtubers")),
        "not_in_youtubers": youtuber.not_in(_listed(_e.youtuber_id, "not_in_youtubers")),
    }


def sponsors_in(parameter: str) -> Select[Any]:
    """Select the numbers of the sponsors in the list that a parameter names."""
    return _listed(_e.sponsor_id, parameter)


def _listed(column: ColumnElement[Any], parameter: str) -> Select[Any]:
    return select(column).where(
        _e.list_id == bindparam(parameter, type_=BigInteger), column.is_not(None)
    )

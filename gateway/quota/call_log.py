"""Counted calls in the order in which they were counted, in a third of the memory that objects take."""

from collections import deque
from datetime import datetime
from typing import Any, Final, NamedTuple

from gateway.quota.models import UsageRequest

_PARTS: Final = 3
_MAX_ORIGINS: Final = 1_000


class Counted(NamedTuple):
    """A call that was counted, or with a `sign` of -1 given back, under a generation."""

    generation: str
    charge: UsageRequest
    at: datetime
    sign: int = 1


class _Origin(NamedTuple):
    """The common part of a caller's calls of one tool."""

    generation: str
    account_id: str
    credential_id: str
    tool: str
    cost: int
    sign: int


class CallLog:
    """A queue of counted calls. Each is kept as three items: its origin, its id and its instant."""

    def __init__(self) -> None:
        self._items = deque[Any]()
        self._origins = dict[_Origin, _Origin]()

    def __len__(self) -> int:
        return len(self._items) // _PARTS

    @property
    def first_generation(self) -> str:
        return self._items[0].generation

    @property
    def first_at(self) -> datetime:
        return self._items[2]

    @property
    def last_at(self) -> datetime:
        return self._items[-1]

    def append(self, call: Counted) -> None:
        self._items.extend((self._origin(call), _packed(call.charge.entry_id), call.at))

    def appendleft(self, call: Counted) -> None:
        self._items.extendleft((call.at, _packed(call.charge.entry_id), self._origin(call)))

    def popleft(self) -> Counted:
        take = self._items.popleft
        origin, packed, at = take(), take(), take()
        entry_id = packed.hex() if isinstance(packed, bytes) else packed
        generation, account_id, credential_id, tool, cost, sign = origin
        return Counted(
            generation, UsageRequest(entry_id, account_id, credential_id, tool, cost), at, sign
        )

    def _origin(self, call: Counted) -> _Origin:
        charge = call.charge
        origin = _Origin(
            call.generation,
            charge.account_id,
            charge.credential_id,
            charge.tool,
            charge.cost,
            call.sign,
        )
        known = self._origins
        if len(known) >= _MAX_ORIGINS:
            known.clear()
        return known.setdefault(origin, origin)


def _packed(entry_id: str) -> bytes | str:
    """An id of hexadecimal digits in half the room, any other one as it is."""
    try:
        packed = bytes.fromhex(entry_id)
    except ValueError:
        return entry_id
    return packed if packed.hex() == entry_id else entry_id

"""What Postgres' planner would do with a statement: its cost, and what it would hold in memory.

The last guard before a statement runs, of the plan itself: it holds whatever the checks of the text take a statement for.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from catalog_service.domain.sql.errors import SqlRefused, SqlTooExpensive

EXPLAIN: Final = "EXPLAIN (VERBOSE, FORMAT JSON) "
_MAX_CHARACTERS: Final = 2_000_000
"""Longest plan as text: it has the expressions of each node."""

_MAX_HOLDING: Final = 30
"""Nodes that hold rows in memory, each up to the work memory."""

_HOLDING: Final = frozenset(
    ("Sort", "Incremental Sort", "Materialize", "WindowAgg", "CTE Scan", "Function Scan", "Memoize")
)
_HASHING: Final = frozenset(("Hash", "Hash Join"))
_HASHED: Final = frozenset(("Hashed", "Mixed"))
_HASHED_LIST: Final = "(hashed SubPlan "


class _Node(msgspec.Struct):
    """A node of a plan, as EXPLAIN names its fields."""

    type: str = msgspec.field(name="Node Type")
    cost: float = msgspec.field(name="Total Cost")
    strategy: str = msgspec.field(name="Strategy", default="")
    plans: list["_Node"] = msgspec.field(name="Plans", default_factory=list["_Node"])

    def all(self) -> Iterator["_Node"]:
        yield self
        for plan in self.plans:
            yield from plan.all()


class _Explained(msgspec.Struct):
    plan: _Node = msgspec.field(name="Plan")


_DECODER: Final = msgspec.json.Decoder(tuple[_Explained])


def cost_of(explained: str, sql: str) -> float:
    """Return the planned cost of a statement.

    Args:
        explained: What EXPLAIN returns of it.
        sql: The statement.

    Raises:
        SqlRefused: It is no SELECT.
        SqlTooExpensive: Its memory has no bound, or is too much.
    """
    if len(explained) > _MAX_CHARACTERS:
        raise SqlTooExpensive(
            "The plan of this statement is too large, as expressions of subqueries are written out in it; repeat them less often.",
            sql,
        )
    try:
        (found,) = _DECODER.decode(explained)
    except msgspec.ValidationError:
        raise SqlRefused(
            "Only SELECT is accepted: the tables can be read and not changed.", sql
        ) from None
    nodes = list(found.plan.all())
    if _HASHED_LIST in explained or any(
        node.type in _HASHING or node.strategy in _HASHED for node in nodes
    ):
        raise SqlTooExpensive(
            "Postgres would hold a whole list of this statement in memory. Write IN and EXISTS in WHERE's AND list, or LEFT JOIN.",
            sql,
        )
    if sum(node.type in _HOLDING for node in nodes) > _MAX_HOLDING:
        raise SqlTooExpensive(
            f"This statement sorts or keeps rows in more than {_MAX_HOLDING} places; join, group and sort less, or ask in two steps.",
            sql,
        )
    return found.plan.cost

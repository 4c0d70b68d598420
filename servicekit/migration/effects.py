"""What a statement of a migration does to tables that are in use: the lock it takes, its work, and what older code loses.

`tests/integration/servicekit/test_migration_effects.py` holds the locks against those that Postgres takes.
"""

import itertools
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise
from typing import Final

from servicekit.migration.tokens import split, words


class Lock(IntEnum):
    """Postgres' locks of tables that change something, the weakest first."""

    ROW_EXCLUSIVE = 3
    SHARE_UPDATE_EXCLUSIVE = 4
    SHARE = 5
    SHARE_ROW_EXCLUSIVE = 6
    ACCESS_EXCLUSIVE = 8

    @property
    def sql(self) -> str:
        """Return its name in SQL."""
        return self.name.replace("_", " ")

    @property
    def holds_up(self) -> str:
        """Return which statements of others wait while it is there."""
        if self is Lock.ACCESS_EXCLUSIVE:
            return "reads and writes"
        return "writes" if self >= Lock.SHARE else ""


class Work(StrEnum):
    """What a statement does with the rows of a table."""

    NOTHING = "nothing"
    SCAN = "scans"
    INDEX = "makes an index"
    ROWS = "writes rows"
    REWRITE = "rewrites"


class Hazard(StrEnum):
    """What is unsafe on a table that is in use."""

    BLOCKING_INDEX = "an index that is not made concurrently"
    BLOCKING_CHECK = "a constraint that is checked while the table is locked"
    REWRITE = "the table is rewritten while it is locked"
    NO_DEFAULT = "a column that is not null and has no default"
    FILL = "a fill of the whole table in one transaction"
    REMOVAL = "something is taken away or renamed"
    UNKNOWN = "a statement that the plan does not know"


@dataclass(frozen=True, slots=True)
class TableEffect:
    """What a statement does to one table."""

    table: str
    lock: Lock
    work: Work = Work.NOTHING


@dataclass(frozen=True, slots=True)
class Effects:
    """What a statement does.

    Attributes:
        tables: Those that it locks, or the index in the place of its table.
        created: Tables that it makes.
        hazards: What is unsafe where the tables are in use.
    """

    tables: tuple[TableEffect, ...] = ()
    created: tuple[str, ...] = ()
    hazards: tuple[Hazard, ...] = ()


NOTHING: Final = Effects()
_UNKNOWN: Final = Effects(hazards=(Hazard.UNKNOWN,))
_HARMLESS: Final = frozenset(
    {"select", "set", "reset", "begin", "commit", "grant", "revoke", "show"}
)
_MADE_APART: Final = frozenset(
    {
        "function",
        "procedure",
        "extension",
        "type",
        "domain",
        "sequence",
        "view",
        "schema",
        "aggregate",
    }
)
"""Things whose creation locks no table."""
_NOISE: Final = frozenset(
    {"if", "not", "exists", "only", "concurrently", "unique", "or", "replace"}
)
_CONSTANT_CALLS: Final = frozenset(
    {"now", "current_timestamp", "transaction_timestamp", "statement_timestamp"}
)
"""Functions of defaults whose result is the same for all rows of a statement."""
_SERIALS: Final = frozenset({"serial", "bigserial", "smallserial"})


def effects_of(statement: str) -> Effects:
    """Return what a statement of SQL does to tables."""
    tokens = words(statement)
    if not tokens or tokens[0] in _HARMLESS:
        return NOTHING
    first = tokens[0]
    if first == "with":
        return _with(tokens)
    readers = {
        "create": _create,
        "alter": _alter,
        "drop": _drop,
        "update": _update,
        "delete": _delete,
        "insert": _insert,
        "comment": _comment,
        "analyze": _analyze,
        "truncate": _truncate,
    }
    reader = readers.get(first)
    return _UNKNOWN if reader is None else reader(tokens)


def _create(tokens: list[str]) -> Effects:
    rest = _without_noise(tokens[1:])
    if rest[0] in ("temp", "temporary", "unlogged"):
        rest = rest[1:]
    if rest[0] == "table":
        others = tuple(TableEffect(name, Lock.SHARE_ROW_EXCLUSIVE) for name in _referenced(tokens))
        return Effects(others, created=(_name(rest[1:]),))
    if rest[0] == "index":
        table = _name(_without_noise(rest[rest.index("on") + 1 :]))
        if "concurrently" in tokens:
            return Effects((TableEffect(table, Lock.SHARE_UPDATE_EXCLUSIVE, Work.INDEX),))
        return Effects(
            (TableEffect(table, Lock.SHARE, Work.INDEX),), hazards=(Hazard.BLOCKING_INDEX,)
        )
    if "trigger" in rest[:2]:
        return Effects(
            (TableEffect(_name(rest[rest.index("on") + 1 :]), Lock.SHARE_ROW_EXCLUSIVE),)
        )
    return NOTHING if rest[0] in _MADE_APART else _UNKNOWN


def _alter(tokens: list[str]) -> Effects:
    if tokens[1] in ("function", "sequence", "type", "extension"):
        return NOTHING
    rest = _without_noise(tokens[2:])
    if tokens[1] == "index":
        return Effects((TableEffect(_name(rest), Lock.SHARE_UPDATE_EXCLUSIVE),))
    if tokens[1] == "trigger":
        return Effects((TableEffect(_name(rest[rest.index("on") + 1 :]), Lock.ACCESS_EXCLUSIVE),))
    if tokens[1] != "table":
        return _UNKNOWN
    table = _name(rest)
    actions = split(rest[_name_length(rest) :], ",")
    found = [_action(table, action) for action in actions]
    strongest: dict[str, TableEffect] = {}
    for effect in (effect for effects in found for effect in effects.tables):
        before = strongest.get(effect.table, effect)
        work = max(before.work, effect.work, key=list(Work).index)
        strongest[effect.table] = TableEffect(effect.table, max(before.lock, effect.lock), work)
    hazards = tuple(hazard for effects in found for hazard in effects.hazards)
    return Effects(tuple(strongest.values()), hazards=hazards)


def _action(table: str, action: list[str]) -> Effects:
    verb, *rest = action
    if verb == "add":
        return _add(table, rest)
    if verb == "alter":
        return _alter_column(table, rest)
    if weaker := _weaker_action(table, verb, rest):
        return Effects((weaker,))
    hazard = Hazard.REMOVAL if verb in ("drop", "rename") else Hazard.UNKNOWN
    return Effects((TableEffect(table, Lock.ACCESS_EXCLUSIVE),), hazards=(hazard,))


def _weaker_action(table: str, verb: str, rest: list[str]) -> TableEffect | None:
    """Return the effect of an action that lets others read."""
    if verb == "validate":
        return TableEffect(table, Lock.SHARE_UPDATE_EXCLUSIVE, Work.SCAN)
    if verb in ("enable", "disable") and "trigger" in rest:
        return TableEffect(table, Lock.SHARE_ROW_EXCLUSIVE)
    if verb == "set" and rest[:1] == ["("]:
        return TableEffect(table, Lock.SHARE_UPDATE_EXCLUSIVE)
    return None


def _alter_column(table: str, rest: list[str]) -> Effects:
    locked = TableEffect(table, Lock.ACCESS_EXCLUSIVE)
    change = [word for word in rest if word != "column"][1:]
    if "type" in change[:3]:
        rewritten = TableEffect(table, Lock.ACCESS_EXCLUSIVE, Work.REWRITE)
        return Effects((rewritten,), hazards=(Hazard.REWRITE, Hazard.REMOVAL))
    if change[:3] == ["set", "not", "null"]:
        scanned = TableEffect(table, Lock.ACCESS_EXCLUSIVE, Work.SCAN)
        # Code of before may leave the column out.
        return Effects((scanned,), hazards=(Hazard.BLOCKING_CHECK, Hazard.REMOVAL))
    if change[:2] == ["set", "statistics"]:
        return Effects((TableEffect(table, Lock.SHARE_UPDATE_EXCLUSIVE),))
    known = change[:2] in (["set", "default"], ["drop", "default"], ["drop", "not"])
    return Effects((locked,), hazards=() if known else (Hazard.UNKNOWN,))


def _add(table: str, rest: list[str]) -> Effects:
    if rest[0] in ("constraint", "foreign", "check", "unique", "primary", "exclude"):
        return _add_constraint(table, rest)
    others = tuple(TableEffect(name, Lock.SHARE_ROW_EXCLUSIVE) for name in _referenced(rest))
    work, hazards = _column(rest)
    return Effects((TableEffect(table, Lock.ACCESS_EXCLUSIVE, work), *others), hazards=hazards)


def _column(rest: list[str]) -> tuple[Work, tuple[Hazard, ...]]:
    """Return the work of a new column: that of filling it, or of checking it."""
    if (
        "stored" in rest
        or "identity" in rest
        or _SERIALS & set(rest)
        or _has_volatile_default(rest)
    ):
        return Work.REWRITE, (Hazard.REWRITE,)
    if "unique" in rest or "primary" in rest:
        return Work.INDEX, (Hazard.BLOCKING_INDEX,)
    if "check" in rest:
        return Work.SCAN, (Hazard.BLOCKING_CHECK,)
    if _has_pair(rest, "not", "null") and "default" not in rest:
        return Work.SCAN, (Hazard.NO_DEFAULT,)
    return Work.NOTHING, ()


def _has_volatile_default(rest: list[str]) -> bool:
    if "default" not in rest:
        return False
    default = rest[rest.index("default") + 1 :]
    calls = {
        name for name, sign in itertools.pairwise(default) if sign == "(" and name.isidentifier()
    }
    return bool(calls - _CONSTANT_CALLS - {"check", "references"} - set(_referenced(rest)))


def _add_constraint(table: str, rest: list[str]) -> Effects:
    later = _has_pair(rest, "not", "valid")
    others = _referenced(rest)
    if others:
        lock, work = Lock.SHARE_ROW_EXCLUSIVE, Work.NOTHING if later else Work.SCAN
        tables = [TableEffect(table, lock, work), *(TableEffect(name, lock) for name in others)]
        return Effects(tuple(tables), hazards=() if later else (Hazard.BLOCKING_CHECK,))
    if "using" in rest and "index" in rest:
        return Effects((TableEffect(table, Lock.ACCESS_EXCLUSIVE),))
    if "check" in rest or _has_pair(rest, "not", "null"):
        work = Work.NOTHING if later else Work.SCAN
        hazards = () if later else (Hazard.BLOCKING_CHECK,)
        return Effects((TableEffect(table, Lock.ACCESS_EXCLUSIVE, work),), hazards=hazards)
    indexed = TableEffect(table, Lock.ACCESS_EXCLUSIVE, Work.INDEX)
    return Effects((indexed,), hazards=(Hazard.BLOCKING_INDEX,))


def _drop(tokens: list[str]) -> Effects:
    kind, rest = tokens[1], _without_noise(tokens[2:])
    if kind == "trigger":
        rest = rest[rest.index("on") + 1 :]
    if kind in ("table", "trigger", "index"):
        lock = Lock.SHARE_UPDATE_EXCLUSIVE if "concurrently" in tokens else Lock.ACCESS_EXCLUSIVE
        tables = tuple(TableEffect(_name(part), lock) for part in split(rest, ","))
        return Effects(tables, hazards=(Hazard.REMOVAL,))
    return Effects(hazards=(Hazard.REMOVAL,))


def _update(tokens: list[str]) -> Effects:
    # A part of a batch names its bounds.
    hazards = () if {"first", "last"} <= set(tokens) else (Hazard.FILL,)
    return Effects((_rows(_name(_without_noise(tokens[1:]))),), hazards=hazards)


def _delete(tokens: list[str]) -> Effects:
    hazards = () if {"first", "last"} <= set(tokens) else (Hazard.FILL,)
    return Effects((_rows(_name(_without_noise(tokens[2:]))),), hazards=hazards)


def _insert(tokens: list[str]) -> Effects:
    from_values = "values" in tokens and "select" not in tokens
    hazards = () if from_values or {"first", "last"} <= set(tokens) else (Hazard.FILL,)
    return Effects((_rows(_name(tokens[2:])),), hazards=hazards)


def _with(tokens: list[str]) -> Effects:
    """Return the effects of the statements within a `WITH`."""
    readers = {"update": _update, "insert": _insert, "delete": _delete}
    found: list[Effects] = []
    for position, (word, following) in enumerate(pairwise(tokens)):
        # `ON CONFLICT DO UPDATE SET` and `ON DELETE` are no statements.
        if word in readers and following not in ("set", "cascade", "restrict", "no"):
            found.append(readers[word](tokens[position:]))
    tables = tuple(effect for effects in found for effect in effects.tables)
    hazards = dict.fromkeys(hazard for effects in found for hazard in effects.hazards)
    return Effects(tables, hazards=tuple(hazards))


def _comment(tokens: list[str]) -> Effects:
    if tokens[2] not in ("table", "column"):
        return NOTHING
    name = _name(tokens[3:]) if tokens[2] == "table" else tokens[3]
    return Effects((TableEffect(name, Lock.SHARE_UPDATE_EXCLUSIVE),))


def _analyze(tokens: list[str]) -> Effects:
    names = [_name(part) for part in split(tokens[1:], ",") if part]
    return Effects(
        tuple(TableEffect(name, Lock.SHARE_UPDATE_EXCLUSIVE, Work.SCAN) for name in names)
    )


def _truncate(tokens: list[str]) -> Effects:
    rest = [word for word in tokens[1:] if word not in ("table", "only")]
    tables = tuple(TableEffect(_name(part), Lock.ACCESS_EXCLUSIVE) for part in split(rest, ","))
    return Effects(tables, hazards=(Hazard.REMOVAL,))


def _rows(table: str) -> TableEffect:
    return TableEffect(table, Lock.ROW_EXCLUSIVE, Work.ROWS)


def _without_noise(tokens: list[str]) -> list[str]:
    """Return the words from the first that is no `IF NOT EXISTS`, `UNIQUE`, `CONCURRENTLY` and the like."""
    for position, word in enumerate(tokens):
        if word not in _NOISE:
            return tokens[position:]
    return tokens


def _name(tokens: list[str]) -> str:
    """Return the name that the words begin with, without its schema."""
    return tokens[_name_length(tokens) - 1]


def _name_length(tokens: list[str]) -> int:
    return 3 if tokens[1:2] == ["."] else 1


def _referenced(tokens: list[str]) -> list[str]:
    found = [
        _name(tokens[position + 1 :])
        for position, word in enumerate(tokens)
        if word == "references"
    ]
    return list(dict.fromkeys(found))


def _has_pair(tokens: list[str], first: str, second: str) -> bool:
    return (first, second) in itertools.pairwise(tokens)

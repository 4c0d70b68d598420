"""Literals that a match of a pattern must hold: where none of them stands, the pattern need not be searched.

They are read from the pattern itself, so that a table of phrases stays the only place of its words.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import Any, Final

_PARSER: Final[Any] = import_module("re._parser")
_CODES: Final[Any] = import_module("re._constants")
"""Python's own parser of patterns, which has no types; the tests hold what is read from it."""

_MAX_STRINGS: Final = 256
_RARITY: Final = 1 / 12
"""About how often a text goes on with a given letter."""


_Strings = frozenset[str]
_EMPTY: Final[_Strings] = frozenset({""})


@dataclass(frozen=True, slots=True)
class _Read:
    """What is known of a part of a pattern.

    Attributes:
        exact: All strings that it matches, when they are few.
        required: Strings of which each match holds one, when there are such.
    """

    exact: _Strings | None
    required: _Strings | None


def required_literals(pattern: re.Pattern[str]) -> frozenset[str]:
    """Return literals of which each match of a pattern holds at least one; none when nothing is known.

    Nothing is read from a pattern without regard to case.
    """
    if pattern.flags & re.IGNORECASE:
        return frozenset()
    read = _sequence(_PARSER.parse(pattern.pattern, pattern.flags))
    best = _best([read.required, read.exact]) or frozenset()
    # Where a longer one stands, the shorter one within it does too.
    return frozenset(
        literal
        for literal in best
        if not any(other in literal for other in best if other != literal)
    )


def _sequence(nodes: Iterable[tuple[Any, Any]]) -> _Read:
    """Read parts that follow each other: literals that touch make longer ones."""
    run: _Strings = _EMPTY
    is_exact = True
    found: list[_Strings | None] = []
    for code, argument in nodes:
        read = _node(code, argument)
        joined = _joined(run, read.exact) if read.exact is not None else None
        if joined is not None:
            run = joined
            continue
        found += [run, read.required, read.exact]
        is_exact = False
        run = read.exact if read.exact is not None else _EMPTY
    return _Read(run if is_exact else None, _best([*found, run]))


def _joined(before: _Strings, behind: _Strings) -> _Strings | None:
    if len(before) * len(behind) > _MAX_STRINGS:
        return None
    return frozenset(first + second for first, second in product(before, behind))


def _node(code: Any, argument: Any) -> _Read:
    read = _READERS.get(code)
    return read(argument) if read else _Read(None, None)


def _characters(members: Sequence[tuple[Any, Any]]) -> _Strings | None:
    if any(code is not _CODES.LITERAL for code, _ in members):
        return None
    return frozenset(chr(argument) for _, argument in members)


def _branches(branches: Sequence[_Read]) -> _Read:
    exact = _united([branch.exact for branch in branches])
    if exact is not None and len(exact) <= _MAX_STRINGS:
        return _Read(exact, None)
    return _Read(None, _united([_best([branch.required, branch.exact]) for branch in branches]))


def _united(sets: Sequence[_Strings | None]) -> _Strings | None:
    united: set[str] = set()
    for strings in sets:
        if strings is None:
            return None
        united |= strings
    return frozenset(united)


def _repeated(minimum: int, maximum: int, part: Iterable[tuple[Any, Any]]) -> _Read:
    read = _sequence(part)
    if (minimum, maximum) == (0, 1) and read.exact is not None:
        return _Read(read.exact | _EMPTY, None)
    if (minimum, maximum) == (1, 1):
        return read
    return _Read(None, _best([read.required, read.exact]) if minimum else None)


_READERS: Final[dict[Any, Callable[[Any], _Read]]] = {
    _CODES.LITERAL: lambda argument: _Read(frozenset({chr(argument)}), None),
    _CODES.IN: lambda argument: _Read(_characters(argument), None),
    _CODES.SUBPATTERN: lambda argument: _sequence(argument[-1]),
    _CODES.BRANCH: lambda argument: _branches([_sequence(branch) for branch in argument[1]]),
    _CODES.MAX_REPEAT: lambda argument: _repeated(*argument),
    _CODES.MIN_REPEAT: lambda argument: _repeated(*argument),
    _CODES.POSSESSIVE_REPEAT: lambda argument: _repeated(*argument),
    **dict.fromkeys((_CODES.AT, _CODES.ASSERT, _CODES.ASSERT_NOT), lambda _: _Read(_EMPTY, None)),
}
"""Readers of the parts of a pattern; nothing is known of other parts. Lookarounds have no width."""


def _best(sets: Iterable[_Strings | None]) -> _Strings | None:
    """Return the set whose literals are the rarest by their length; None when each set has an empty one."""
    usable = [strings for strings in sets if strings and "" not in strings]
    return min(
        usable,
        key=lambda strings: sum(_RARITY ** len(literal) for literal in strings),
        default=None,
    )

"""The parts that each request of docs/answers.md has, and words for lists and shares."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from tests.e2e.base_tables import BaseTables

Facts = Mapping[str, Any]
PAID_KINDS: Final = ["paid_sponsorship", "promo_code", "affiliate"]
ALL_KINDS: Final = [*PAID_KINDS, "free_product"]
_KINDS: Final = {
    "paid_sponsorship": "paid sponsorship",
    "promo_code": "promo code",
    "affiliate": "affiliate link",
    "free_product": "free product",
}
TECH: Final = frozenset({"tech", "security", "software", "ai", "hosting", "electronics", "telecom"})
GAMING: Final = frozenset({"gaming", "games", "gaming-gear"})


def year(number: int) -> dict[str, str]:
    """Return the arguments of a calendar year."""
    return {"since": f"{number}-01-01", "until": f"{number}-12-31"}


class Case(ABC):
    """A person's request, the calls that an AI makes for it, and the text that it may then repeat.

    `text` takes its figures from `facts` alone, and the facts of the results have to equal those of the base tables: no
    figure of the text is unchecked.
    """

    slug: ClassVar[str]
    person: ClassVar[str]
    title: ClassVar[str]
    calls: ClassVar[tuple[tuple[str, dict[str, Any]], ...]]
    check: ClassVar[str]

    @abstractmethod
    def stated(self, results: list[Any]) -> Facts:
        """Return the facts that the results of the calls state."""

    @abstractmethod
    def computed(self, tables: BaseTables) -> Facts:
        """Return the same facts, computed from the base tables."""

    @abstractmethod
    def text(self, facts: Facts) -> str:
        """Return the text for the person."""

    def section(self, number: int, facts: Facts) -> str:
        """Return the section of docs/answers.md."""
        calls = "\n".join(
            f"{tool} {json.dumps(arguments, ensure_ascii=False)}" for tool, arguments in self.calls
        )
        return (
            f"## {number}. {self.title}\n\n{self.person} asks. Calls:\n\n```\n{calls}\n```\n\n"
            f"{self.text(facts)}\n\nCheck (`{self.slug}`): {self.check}\n"
        )


def shown_status(relation: dict[str, Any]) -> str:
    """Return the status of a relation with the day that it is of."""
    before = {"lapsed": "lapsed by", "unknown": "unknown since"}
    status = relation["status"]
    return f"{before[status]} {relation['known_until']}" if status in before else status


def listed(words: Iterable[str]) -> str:
    """Join words with commas and an "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def kinds_of(numbers: Mapping[str, int]) -> str:
    """List numbers of sponsorships by kind, the most frequent first."""
    ranked = sorted(numbers.items(), key=lambda item: -item[1])
    return listed(counted(number, _KINDS[kind]) for kind, number in ranked)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)

"""Decisions on candidates by the checked mentions of a second reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from import_worker.domain.name_forms import Resembles, is_form_of
from import_worker.domain.reader_checks import name_key
from import_worker.domain.second_reader import Candidate, CheckedMention

Outcome = Literal["accepted", "renamed", "rejected", "unmentioned"]

_RESEMBLING: Final = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one candidate; `mention` is None where the reader does not mention it."""

    outcome: Outcome
    mention: CheckedMention | None = None


@dataclass(frozen=True, slots=True)
class Decisions:
    """A decision for each candidate, in their order, and the brands that the rules did not propose."""

    of_candidates: tuple[Decision, ...]
    added: tuple[CheckedMention, ...]


def decide(
    candidates: Sequence[Candidate], mentions: Sequence[CheckedMention], resembles: Resembles
) -> Decisions:
    """Hold candidates against mentions; a brand that is not mentioned stays as the rules have it.

    So does one that is mentioned under a name that is no form of its own, unless domain and kind are its own.
    """
    decisions = tuple(_decision(candidate, mentions, resembles) for candidate in candidates)
    added: list[CheckedMention] = []
    for mention in mentions:
        is_proposed = any(_is_same(candidate, mention) for candidate in candidates)
        is_repeated = any(name_key(other.brand) == name_key(mention.brand) for other in added)
        if mention.kind is not None and not is_proposed and not is_repeated:
            added.append(mention)
    return Decisions(decisions, tuple(added))


def _decision(
    candidate: Candidate, mentions: Sequence[CheckedMention], resembles: Resembles
) -> Decision:
    of_same = [
        (mention, is_form_of(mention, candidate, resembles))
        for mention in mentions
        if _is_same(candidate, mention)
    ]
    counted = [
        (mention, is_form)
        for mention, is_form in of_same
        if is_form or _has_domain_and_kind(mention, candidate)
    ]
    if not counted:
        return Decision("unmentioned")
    # One that says "sponsor" wins over one that says "no sponsor": the second may be about another link.
    mention, is_form = min(counted, key=lambda item: (item[0].kind is None, not item[1]))
    if mention.kind is None:
        return Decision("rejected", mention)
    is_renamed = is_form and name_key(mention.brand) != name_key(candidate.brand)
    return Decision("renamed" if is_renamed else "accepted", mention)


def _has_domain_and_kind(mention: CheckedMention, candidate: Candidate) -> bool:
    """Return whether a mention is the candidate's whatever name it has: one in another script, or an alias."""
    return (
        mention.domain is not None
        and mention.domain == candidate.domain
        and mention.kind == candidate.kind
    )


def _is_same(candidate: Candidate, mention: CheckedMention) -> bool:
    if candidate.domain is not None and candidate.domain == mention.domain:
        return True
    proposed, mentioned = name_key(candidate.brand), name_key(mention.brand)
    if proposed == mentioned:
        return True
    # A name that the rules cut or took too long: the one holds the other, and so do their words.
    shorter = min(len(proposed), len(mentioned))
    return (
        shorter >= _RESEMBLING
        and (proposed in mentioned or mentioned in proposed)
        and (candidate.evidence in mention.evidence or mention.evidence in candidate.evidence)
    )

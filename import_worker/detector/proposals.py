"""Candidates of a video with their features, and with the probability that the decider gives them."""

from collections.abc import Sequence
from dataclasses import dataclass

from import_worker.detector.brand_names import article_free
from import_worker.detector.candidates import Candidate, read_candidates
from import_worker.detector.context import ChannelContext
from import_worker.detector.decider import Decider
from import_worker.detector.directory import MOSTLY, Directory
from import_worker.detector.document import read_document
from import_worker.detector.features import features_of, is_plain_mention, text_facts
from import_worker.detector.item_signs import Features
from import_worker.detector.reading import Reading


@dataclass(frozen=True, slots=True)
class Proposed:
    """A brand that may sponsor a video, with its features."""

    candidate: Candidate
    features: Features


@dataclass(frozen=True, slots=True)
class Decided:
    """A candidate with its probability, and the decider that gave it."""

    candidate: Candidate
    features: Features
    probability: float
    decider: Decider

    @property
    def reasons(self) -> tuple[str, ...]:
        """The features that raised the probability most."""
        return self.decider.decide(self.features).reasons


def propose_features(
    title: str,
    description: str,
    context: ChannelContext,
    directory: Directory,
    *,
    category: int | None = None,
) -> list[Proposed]:
    """Return the candidates of a video with their features; `category` is YouTube's number.

    Links to home pages with nothing beside them are left out.
    """
    context = context.without_sites(_advertised(context, directory))
    body = Reading(read_document(description, "description", directory), directory, context)
    head = Reading(read_document(title, "title", directory), directory, context)
    candidates = read_candidates(body, head)
    if not candidates:
        return []
    facts = text_facts(body, head, category)
    rivals = len(candidates) - 1
    proposed = (
        Proposed(candidate, features_of(candidate, facts, rivals)) for candidate in candidates
    )
    return [item for item in proposed if not is_plain_mention(item.features)]


def _advertised(context: ChannelContext, directory: Directory) -> list[str]:
    """Return the sites called the channel's own that are those of brands which creators mostly advertise."""
    return [
        domain
        for domain in context.own_domains
        if (brand := directory.of_domain(domain))
        and brand.creator_ads == MOSTLY
        and not context.owns_name(brand.name)
    ]


def decide(proposals: Sequence[Proposed], decider: Decider) -> list[Decided]:
    """Return the candidates with their probabilities, the surest first; a link counts for one brand.

    A candidate all of whose links a surer one has is left out, unless a claim or a list names it; so is one that shares
    a link with a surer one whose name begins with its name, or the other way round.
    """
    decided = [
        Decided(item.candidate, item.features, decider.probability(item.features), decider)
        for item in proposals
        # They stay among the proposals: the trees learn from them what is no sponsor.
        if not item.candidate.is_of_users
    ]
    decided.sort(key=lambda item: (-item.probability, item.candidate.start))
    taken: dict[int, str] = {}
    distinct: list[Decided] = []
    for item in decided:
        candidate = item.candidate
        key = article_free(candidate.found.name)
        links = {mention.item.link.start for mention in candidate.mentions}
        is_only_there = bool(links) and links <= taken.keys()
        if is_only_there and not candidate.claims and not candidate.listed:
            continue
        if any(_extends(key, taken[link]) for link in links if link in taken):
            continue
        taken |= dict.fromkeys(links - taken.keys(), key)
        distinct.append(item)
    return distinct


def _extends(key: str, other: str) -> bool:
    return key != other and (key.startswith(other) or other.startswith(key))

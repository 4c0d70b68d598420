"""A generated catalogue in which it is known which sponsors are alike.

Sponsors of a cluster work with its youtubers, some with few and some with nearly all; a few sponsors
work with everybody, and most with a single youtuber, as in real catalogues.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from protos.catalog.v1 import catalog_pb2 as pb
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

_CLUSTERS, _SPONSORS, _YOUTUBERS = 5, 16, 60
_SHARES = (0.1, 0.1, 0.85, 0.95)
_STRAY = 0.001
_SINGLE, _EVERYWHERE = 2_000, 3


@dataclass(frozen=True)
class Clusters:
    """Youtubers by sponsor, and the cluster of each sponsor that is in one; keys of youtubers begin
    with the number of theirs."""

    youtubers: Mapping[str, frozenset[str]]
    cluster: Mapping[str, str]

    def sponsors(self) -> Mapping[str, frozenset[str]]:
        """Return sponsors by youtuber."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for slug, keys in self.youtubers.items():
            for key in keys:
                found[key].add(slug)
        return {key: frozenset(slugs) for key, slugs in found.items()}

    def jaccard(self, slug: str) -> list[str]:
        """Return the other sponsors by the raw Jaccard index, the highest first."""
        own = self.youtubers[slug]
        shared = {other: len(own & keys) for other, keys in self.youtubers.items() if other != slug}
        index = {
            other: count / len(own | self.youtubers[other])
            for other, count in shared.items()
            if count
        }
        return sorted(index, key=lambda other: (-index[other], -shared[other], other))

    def facts(self) -> Iterator[pb.IngestItem]:
        for slug in self.youtubers:
            yield sponsor(slug, slug, f"{slug}.example", None)
        for key in self.sponsors():
            yield youtuber(key, key)
        for slug, keys in self.youtubers.items():
            for key in sorted(keys):
                yield video(
                    f"{slug}-{key}", key, "2024-03-01", 10, claim(slug, "paid_sponsorship", 0.9)
                )


def planted(seed: int) -> Clusters:
    chooser = random.Random(seed)
    everybody = [f"{at}y{n}" for at in range(_CLUSTERS) for n in range(_YOUTUBERS)]
    youtubers: dict[str, frozenset[str]] = {}
    cluster: dict[str, str] = {}
    for at in range(_CLUSTERS):
        for n in range(_SPONSORS):
            slug, share = f"cluster{at}-{n}", _SHARES[n % len(_SHARES)]
            youtubers[slug] = frozenset(
                key
                for key in everybody
                if chooser.random() < (share if key.startswith(f"{at}y") else _STRAY)
            )
            cluster[slug] = str(at)
    for n in range(_EVERYWHERE):
        youtubers[f"everywhere-{n}"] = frozenset(k for k in everybody if chooser.random() < 0.4)
    for n in range(_SINGLE):
        youtubers[f"single-{n}"] = frozenset([chooser.choice(everybody)])
    return Clusters({slug: keys for slug, keys in youtubers.items() if keys}, cluster)

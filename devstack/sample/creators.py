"""Public facts about creators of the sample that its raw data lack."""

from dataclasses import replace

from devstack.sample.public_facts import facts_by
from shapes.catalog.ingest import YoutuberFact


def with_public_facts(youtuber: YoutuberFact) -> YoutuberFact:
    """Return the record with handle, country and category filled in where it has none."""
    # Keyed by `keys.youtuber_key`.
    facts = facts_by("key", "creators.csv").get(youtuber.key, {})
    return replace(
        youtuber,
        handle=youtuber.handle or facts.get("handle"),
        country=youtuber.country or facts.get("country"),
        category=youtuber.category or facts.get("category"),
    )

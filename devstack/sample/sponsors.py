"""Public facts about sponsors of the sample that the brand directory does not know."""

from dataclasses import replace

from devstack.sample.public_facts import facts_by
from shapes.catalog.ingest import SponsorFact


def with_public_facts(sponsor: SponsorFact) -> SponsorFact:
    """Return the record with domain, category and country filled in where it has none."""
    facts = facts_by("slug", "sponsors.csv").get(sponsor.slug, {})
    domain = facts.get("domain")
    return replace(
        sponsor,
        domains=sponsor.domains or ((domain,) if domain else ()),
        website=sponsor.website or (f"https://{domain}" if domain else None),
        category=sponsor.category or facts.get("category"),
        country=sponsor.country or facts.get("country"),
    )

"""A name that is nearly a known brand's is its own where a site of the text spells it: "Brandix: brandix.com" is no Brandi."""

from dataclasses import replace

from import_worker.detector.brand_names import bare_label, trim_company
from import_worker.detector.folding import name_key
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found
from import_worker.domain.keys import slug_of


def as_spelled(reading: Reading, claim: Claim) -> Claim:
    """Return the claim, of the brand that the text and a link's site spell if the known one is only nearly it."""
    found = claim.found
    if not found.known or reading.document.is_in_link(found.start):
        return claim
    written = trim_company(reading.document.folded[found.start : found.end])
    key = name_key(written)
    if not key or reading.directory.named(written) is not None:
        return claim
    site = next(
        (
            link
            for link in reading.document.links
            if link.kind == "site" and name_key(bare_label(link.label)) == key
        ),
        None,
    )
    if site is None or reading.directory.of_domain(site.domain) is not None:
        return claim
    own = Found(
        written,
        slug_of(written),
        site.domain,
        known=False,
        linked=True,
        start=found.start,
        end=found.end,
    )
    return replace(claim, found=own)

"""Statements that a company supplied the product."""

import re
from typing import Final

from import_worker.detector.phrases.cue import CueTable

AFTER: Final = CueTable(
    slot="after",
    strength="strong",
    kind="free_product",
    reason="product supplied",
    phrases={
        "provided by": (r"\b(?:kindly |generously )?provided by\b",),
        "provided to": (r"\bprovided to (?:me|us) (?:free (?:of charge )?)?by\b",),
        "supplied": (r"\bsupplied (?:to (?:me|us) )?by\b",),
        "gifted": (r"\bgifted (?:to (?:me|us) )?by\b",),
        "sent to": (r"\bsent to (?:me|us) (?:for free |free (?:of charge )?)?(?:by|from)\b",),
        "loaned": (r"\bloaned (?:to (?:me|us) )?(?:by|from)\b",),
        "offert": (r"\b(?:produits?|robe|cadeaux?|v[eê]tements?) offert(?:e|s|es)? par\b",),
        "zur verfügung": (
            r"\bzur verfügung gestellt (?:von|durch)\b",
            r"\bvon\b(?= [^.\n]{2,40} zur verfügung)",
        ),
        "cedid": (r"\bcedid[oa]s? por\b",),
        "enviad": (r"\benviad[oa]s? (?:por|pela|pelo)\b",),
        "предоставлен": (r"(?<![а-яё])предоставлен\w{0,3} (?:компанией|магазином|брендом)\b",),
    },
)

BEFORE: Final = CueTable(
    slot="before",
    strength="strong",
    kind="free_product",
    reason="thanked for the product",
    phrases={
        "sending": (
            r"\bfor (?:kindly |also )?sending (?:me|us|over|this|the|these|out|in|a|an)\b",
        ),
        "providing": (r"\bfor (?:kindly )?providing\b",),
        "supplying": (r"\bfor supplying\b",),
        "gifting": (r"\bfor gifting\b",),
        "로부터": (r"(?:으)?로부터 ?(?:제품[만을]? ?|무상으로 ?)?(?:대여|제공|지원)(?:을|받|만)",),
        "lending": (r"\bfor lending\b",),
        "loaning": (r"\bfor loaning\b",),
        "sample": (r"\bfor the (?:free |review )?samples?\b",),
        "review unit": (r"\bfor the review units?\b",),
        "product": (r"\bfor the (?:free|review) products?\b",),
        "bereitstell": (r"\bfür die bereitstellung\b|\bfürs bereitstellen\b",),
    },
)

REVIEWED: Final = re.compile(
    r"\breview|\bsample|\bproduct|\bunit\b|\bphone\b|\bdevice|\blaptop|\btablet|\bcar\b|\bfree of charge|\btest|\bcopy\b"
    r"|\bprototype|\bpr box"
)
"""Objects that companies supply for videos."""

HANDED_OVER: Final = frozenset({"sending", "supplying", "gifting", "gifted", "sent to", "loaned"})
"""Stems of phrases that say that a thing changed hands."""

FROM_VIEWERS: Final = re.compile(
    r"\b(?:clips?|videos?|footage|photos?|pictures?|links?|info\w*|questions?|songs?|files?|data|letters?|memes?|fan ?art"
    r"|stor(?:y|ies))\b"
)
"""Objects that viewers send."""

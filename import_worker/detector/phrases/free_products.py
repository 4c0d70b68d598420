"""Statements that a company supplied the product."""

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
        "cedido": (r"\bcedid[oa]s? por\b",),
        "enviado": (r"\benviad[oa]s? (?:por|pela|pelo)\b",),
        "предоставлен": (r"\bпредоставлен\w{0,3} (?:компанией|магазином|брендом)\b",),
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
        "lending": (r"\bfor (?:lending|loaning)\b",),
        "sample": (r"\bfor the (?:free |review )?(?:sample|product|unit|review unit)s?\b",),
        "bereitstell": (r"\bfür die bereitstellung\b|\bfürs bereitstellen\b",),
    },
)

"""Paths of pages that a site's users make or that say what it is, and labels of links to what is the creator's there."""

import re
from typing import Final

USER_PATH: Final = re.compile(
    r"/(?:rooms?|listings?|hotels?|design|designs|spaces|datasets|models|careers?|jobs?|hiring|docs?|documentation|wiki|help|support|faq|legal|privacy|terms"
    r"|community|explore|users?|profiles?|people|authors?|artists?|classes|watch|notebooks?|repos?|gists?|file|files|board|boards|embed|templates|itm)(?:/|$)"
)
"""Read on a path in lower case, without its parameters."""

USER_LABEL: Final = re.compile(
    r"\b(?:my|our|mein\w*|unser\w*|mis?|nuestr[oa]s?|meus?|minha|noss[oa]s?|mon|ma|mes|notre|nos|mi[oa]|mijn|мой|моя|мо[её]) (?:[\w\-]+ ){0,3}"
    r"(?:listing|job|employer|slides?|slide deck|deck|demo|files?|repo|repository|notebook|dataset|space|profile|portfolio|resume|cv|setup|build list|wishlist|registry|itinerary|map|route|templates?"
    r"|calendar|cookbook|class|classes|talk|paper|article|essay|column|interview|inserat|angebote|stelle|folien|profil|anuncio|trabajo|diapositivas|perfil|anúncio|trabalho|annonce|diapos)\b"
    r"|^\W*(?:slides?|slide deck|docs|documentation|figma|figma file|notebook|dataset|data|source code|sources?|code on \w+|repo|repository|github|paper|ltk|wishlist|(?:try the |live )?demo|folien|quellen?|fuentes?|fontes?|diapos(?:itives)?)\b[ \w]{0,12}[:\-]?\s*$"
    r"|\b(?:hotel|airbnb|hostel|apartment|villa|place|cabin|house|where) (?:where )?(?:we|i) (?:stayed|slept|rented|booked)\b"
)
"""Read on a label in lower case."""

CALL_TO_OWN: Final = re.compile(
    r"\b(?:join|order|pre-?order|grab|get|take|enroll? in|sign up (?:for|to)|tickets (?:to|for)|seats? (?:at|for)|book|come to) (?:\w+ (?:to|for|in|at) )?(?:my|our) (?:[\w\-']+ ){0,3}"
    r"(?:community|course|courses|masterclass|cookbook|tour|show|shows|gig|concert|retreat|workshop|webinar|bootcamp|newsletter|membership|server)\b"
    r"|\b(?:book|schedule|reserve) (?:a |an |your )?(?:free )?(?:[\w\-]+ )?(?:call|session|consult\w*|meeting|lesson|appointment|chat) with (?:me|us)\b"
)
"""A call to what the creator offers, wherever its page is."""

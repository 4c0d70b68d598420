"""Checks of a second reader's mentions against the text that it was sent.

What a model returns may be invented, or dictated by the description. A mention is dropped unless its evidence
stands in the text word for word, its brand is named there, and its domain stands there or in the directory.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from import_worker.domain.public_suffixes import registrable_domain
from import_worker.domain.records import ExcerptSource
from import_worker.domain.second_reader import CheckedMention, Mention, ReaderText

MAX_MENTIONS: Final = 40
_MAX_NAME: Final = 60
_MAX_EVIDENCE: Final = 500
_MIN_EVIDENCE: Final = 3
_MIN_KEY: Final = 2
_NAME: Final = re.compile(r"[\w .,&+!'’®™·:/*|()#°-]+")
_HOST: Final = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}")
_NO_WORD: Final = re.compile(r"[\W_]+")
_ARTICLE: Final = re.compile(r"(?:the|an?|le|la|les|der|die|das|el|los)\s+(?=\w)", re.IGNORECASE)


class KnownBrand(Protocol):
    """A brand of the directory."""

    @property
    def slug(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def domains(self) -> tuple[str, ...]: ...


class KnownBrands(Protocol):
    """The directory of brands."""

    def named(self, name: str) -> KnownBrand | None:
        """Return the brand of that name or alias."""
        ...

    def of_domain(self, domain: str) -> KnownBrand | None:
        """Return the brand that owns a registrable domain."""
        ...


class MentionChecker:
    """Checks mentions.

    Args:
        brands: The directory.
        is_shared: Returns whether a domain is a platform's, a shop's or a shortener's, and so no brand's own.
    """

    def __init__(self, brands: KnownBrands, is_shared: Callable[[str], bool]) -> None:
        self._brands = brands
        self._is_shared = is_shared

    def checked(self, mentions: Iterable[Mention], text: ReaderText) -> tuple[CheckedMention, ...]:
        """Return the first forty mentions but for those that the text does not bear out."""
        lowered = unicodedata.normalize("NFKC", f"{text.title}\n{text.description}").lower()
        found = (self._checked(mention, text, lowered) for mention in list(mentions)[:MAX_MENTIONS])
        return tuple(mention for mention in found if mention is not None)

    def _checked(self, mention: Mention, text: ReaderText, lowered: str) -> CheckedMention | None:
        name = clean_name(mention.brand)
        evidence = _located(mention.evidence, text)
        if name is None or evidence is None:
            return None
        known = self._brands.named(name)
        domain = None
        if mention.domain:
            domain = self._domain(mention.domain, known, lowered)
            if domain is None:
                return None
            if self._is_shared(domain):
                domain = None
        if not _is_named(name, known, domain, lowered):
            return None
        source, start, end = evidence
        return CheckedMention(
            brand=known.name if known else name,
            slug=known.slug if known else None,
            domain=_first(known.domains) if known else domain,
            kind=mention.kind,
            evidence=(text.title if source == "title" else text.description)[start:end],
            source=source,
            start=start,
            end=end,
        )

    def _domain(self, written: str, known: KnownBrand | None, lowered: str) -> str | None:
        """Return the registrable domain of a host that stands in the text or belongs to the brand."""
        host = written.strip().lower()
        if _HOST.fullmatch(host) is None:
            return None
        domain = registrable_domain(host)
        if domain is None:
            return None
        if stands_in(host, lowered):
            return domain
        return domain if known is not None and domain in known.domains else None


def clean_name(brand: str) -> str | None:
    """Return a brand's name with single blanks; None for what is no name."""
    name = unicodedata.normalize("NFC", brand).strip()
    if not _MIN_KEY <= len(name) <= _MAX_NAME or _NAME.fullmatch(name) is None:
        return None
    if "//" in name or len(name_key(name)) < _MIN_KEY:
        return None
    return " ".join(name.split())


def name_key(name: str) -> str:
    """Return the letters and digits of a name without its article, casefolded."""
    bare = _ARTICLE.sub("", unicodedata.normalize("NFKC", name).strip(), count=1)
    return _NO_WORD.sub("", bare.casefold())


def stands_in(host: str, lowered: str) -> bool:
    """Return whether a text in lower case contains a host, or a subdomain of it, as a complete name."""
    pattern = rf"(?<![\w@-]){re.escape(host)}(?![\w-]|\.\w)"
    return re.search(pattern, lowered) is not None


def stands_as_words(name: str, lowered: str) -> bool:
    """Return whether a text in lower case has the words of a name one behind the other, whatever signs are between them."""
    words = [word for word in _NO_WORD.split(unicodedata.normalize("NFKC", name).lower()) if word]
    spelled = r"[\W_]*".join(map(re.escape, words))
    return re.search(rf"(?<![a-z0-9]){spelled}(?![a-z0-9])", lowered) is not None


def _located(evidence: str, text: ReaderText) -> tuple[ExcerptSource, int, int] | None:
    quote = evidence.strip()
    if not _MIN_EVIDENCE <= len(quote) <= _MAX_EVIDENCE or _NO_WORD.fullmatch(quote):
        return None
    if (start := text.description.find(quote)) >= 0:
        return "description", start, start + len(quote)
    if (start := text.title.find(quote)) >= 0:
        return "title", start, start + len(quote)
    return None


def _is_named(name: str, known: KnownBrand | None, domain: str | None, lowered: str) -> bool:
    """Return whether the text has the name as words, or a domain of the brand."""
    if stands_as_words(name, lowered):
        return True
    if domain is not None and name_key(name) in name_key(domain.partition(".")[0]):
        return True
    return known is not None and any(stands_in(own, lowered) for own in known.domains)


def _first(domains: tuple[str, ...]) -> str | None:
    return domains[0] if domains else None

"""Chapters whose title says that they are a sponsor's."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from import_worker.domain.chapters import Chapter

_MAX_WORDS: Final = 9
_MAX_NAME_WORDS: Final = 5

# Words that are for nothing else; the languages are those of the channels that were read.
_SURE: Final = (
    "sponsor", "sponsors", "sponsored", "sponsorship", "sponsoring", "sponsor's", "sponsors'", "advert",
    "advertisement", "advertising", "paid promotion", "paid partnership",
    "werbung", "anzeige", "werbepartner", "werbeblock", "werbespot", "gesponsert",
    "sponsorisé", "sponsorisée", "sponso", "publicité", "partenariat", "partenaire", "parrainage",
    "patrocinador", "patrocinadores", "patrocinado", "patrocinada", "patrocinio", "patrocínio",
    "publicidad", "publicidade", "pubblicità", "sponsorizzato", "sponsorizzata", "sponsorizzazione",
    "реклама", "рекламная интеграция", "рекламная пауза", "спонсор", "спонсоры", "спонсор видео", "интеграция",
    "reklama", "współpraca reklamowa", "reklam", "sponsorlu", "reclame", "gesponsord", "iklan", "quảng cáo",
    "विज्ञापन", "प्रायोजक", "प्रायोजित", "إعلان", "الراعي",
)  # fmt: skip
# Words of other uses: they count alone, or cut off from the rest of the title.
_DOUBTFUL: Final = (
    "ad", "ads", "#ad", "ad break", "ad read", "ad spot", "commercial", "commercial break", "promo", "#werbung",
    "pub", "annonce", "anuncio", "anuncios", "anúncio", "propaganda", "merchan", "merchandising", "pr", "#pr", "partner",
)  # fmt: skip
# Written without blanks between words.
_JOINED: Final = (
    "スポンサー", "広告", "提供", "案件", "광고", "협찬", "스폰서", "赞助", "贊助", "广告", "廣告", "业配", "業配", "工商",
    "โฆษณา", "สปอนเซอร์",
)  # fmt: skip
_FILLER: Final = frozenset(
    "a an and the our my this today today's todays video video's episode channel from by of for to in with is about quick "
    "short word message shout out shoutout thanks thank you intro introduction break spot segment read time section part "
    "der die das unser unsere von für mit heute dank an de la le les du notre un una el nuestro nuestra por gracias merci "
    "da do dos nosso nossa obrigado от для нашего наш спасибо".split()
)
_NOT: Final = re.compile(
    r"state[- ]sponsored|government[- ]sponsored|\b(?:no|not|non|without|kein|keine|ohne|sans|sin|sem|без)\b"
    r"|become|\bmy own\b|[?？]|\b(?:how|why|get|find|finding|need|want)\b",
    re.IGNORECASE,
)


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_SURE_WORD: Final = re.compile(rf"(?<![\w-])(?:{_either(_SURE)})(?![\w-])", re.IGNORECASE)
_CUT_OFF: Final = re.compile(
    rf"^(?:{_either(_DOUBTFUL)})(?:\s*[:|,&/(\[–—]|\s-|$)|[|,&/(\[–—:-]\s*(?:{_either(_DOUBTFUL)})\s*[)\]]?$",
    re.IGNORECASE,
)
_JOINED_WORD: Final = re.compile(_either(_JOINED))
_ALL_WORDS: Final = re.compile(
    rf"(?<![\w-])(?:{_either((*_SURE, *_DOUBTFUL))})(?![\w-])|{_either(_JOINED)}", re.IGNORECASE
)
_WORD: Final = re.compile(r"[\w&'’.+-]*\w")


@dataclass(frozen=True, slots=True)
class SponsorChapter:
    """A chapter that is a sponsor's; `name` is what its title says beside that, "" if nothing."""

    chapter: Chapter
    name: str


def sponsor_chapters(found: Iterable[Chapter]) -> tuple[SponsorChapter, ...]:
    """Return those of the chapters that are a sponsor's."""
    named = ((chapter, sponsor_name(chapter.title)) for chapter in found)
    return tuple(SponsorChapter(chapter, name) for chapter, name in named if name is not None)


def sponsor_name(title: str) -> str | None:
    """Return the rest of a title that says "sponsor" in some language; None if it does not say so."""
    if len(title.split()) > _MAX_WORDS or _NOT.search(title):
        return None
    if not (_SURE_WORD.search(title) or _CUT_OFF.search(title) or _JOINED_WORD.search(title)):
        return None
    rest = _WORD.findall(_ALL_WORDS.sub(" ", title))
    words = [word for word in rest if word.lower().replace("’", "'") not in _FILLER]
    return " ".join(words) if len(words) <= _MAX_NAME_WORDS else None

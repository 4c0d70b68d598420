"""Links in a text: where they are, where they lead, and what kind of site that is."""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from import_worker.detector.hosts import (
    NETWORKS,
    OPAQUE_NETWORKS,
    PLATFORMS,
    SHOP_HOSTS,
    SHORTENERS,
    STORES,
)
from import_worker.detector.phrases.line_starts import word_glued_to
from import_worker.domain.public_suffixes import split_host

LinkKind = Literal["site", "network", "shortener", "hidden", "platform", "store"]

_ACCENTED: Final = "ß-öø-ÿā-ž"
"""Letters of hosts and paths beside those of ASCII, in small letters: a capital rather begins the next word."""

_LINK: Final = re.compile(
    rf"https?:?//[!#-;=?-~{_ACCENTED}]{{3,600}}"
    rf"|(?:(?<![@\w.\-/{_ACCENTED}])|(?<=[^/]/)(?=www\.))(?:[a-z0-9{_ACCENTED}][a-z0-9\-{_ACCENTED}]{{0,62}}\.){{1,5}}[a-z]{{2,24}}(?![a-z_@]|\d(?!\d?%)|://)"
    rf"(?:/[!#-;=?-~{_ACCENTED}]{{0,600}})?",
    re.IGNORECASE | re.ASCII,
)
_HOST: Final = re.compile(r"(?:https?:?//)?(?:www\.)?([^/?#:]+)", re.IGNORECASE)
_DRAWN: Final = r"*=_~\-–—─━═▬■●•♦◆#+|"
DRAWN_LINE: Final = re.compile(
    rf"(?<=\S)([{_DRAWN}])\1{{4,}}(?=\S)|([{_DRAWN}★☆])\2{{9,}}|^[ \t]*([{_DRAWN}])\3{{4,}}[ \t]*$",
    re.MULTILINE,
)
"""A line drawn with signs: it parts two blocks, also where the breaks around it are lost and it is glued to words.

Five stars or an arrow of signs between blanks are part of a sentence.
"""

_DRAWN_IN_URL: Final = re.compile(r"([*|])\1{4,}|([=_~\-#+])\2{9,}")
"""A drawn line that runs on from a link; an address itself may have a few such signs."""

_NAMED_EMOJI: Final = re.compile(r"(?<=[\w/.]):(?=[a-z_]{3,25}:)")
"""An emoji by its name, ":fire:", that follows a link; a port is a number."""

_USER: Final = re.compile(r"https?:?//[^/?#]*@", re.IGNORECASE)
_NEXT_SCHEME: Final = re.compile(r"(?<=.)https?://|(?<=[^/]/)www\.(?=\w)", re.IGNORECASE)
_NEXT_LABEL: Final = re.compile(
    r"(?: [\w&'*.+\-]{1,24}){0,7}? ?(?:[:\-–—>=|►➜➤→⇨]{1,2}) ?(?:https?:|www\.)", re.IGNORECASE
)
"""The rest of a label whose first word runs on from a link: up to the next link on the line."""

_LABEL_AT_END: Final = re.compile(
    r"(?:(?<=[A-Za-z0-9])[A-Z][a-z'&]+(?:-[A-Z][a-z]+)?|(?<=[a-z0-9])[A-Z]{2,5}|(?<=[a-z0-9])e(?=\*))$"
)
_ID_LENGTHS: Final = {"bit.ly": 7, "goo.gl": 6, "amzn.to": 7, "youtu.be": 11, "clck.ru": 5}
"""How long the paths are that these hosts give; bit.ly's begin with a digit, the chosen ones do not."""

_OF_NETWORK: Final = re.compile(r"(?=[a-z]*\d)[a-z\d]{4,7}\.net")
"""Domains that affiliate networks make up for tracking, such as "8bxp97.net": the brand is the subdomain."""

_ID: Final = re.compile(r"(?:https?:?//)?(?:www\.)?([a-z.]+)/([\w\-]+)", re.IGNORECASE)
_NAME_AT_END: Final = re.compile(r"(?<=[a-z0-9/])[A-Z][a-z]{2,12}$")
_SPOKEN: Final = re.compile(
    r"(?<=[a-z0-9/])[A-Z][a-z]{1,7}'(?:t|s|m|re|ve|ll|d)\b|(?<=\w)\*(?=[A-Z])"
)
"""A word such as "Don't", or the star of the next entry, that runs on from a link."""

_WORD_ON_SLUG: Final = re.compile(
    r"(?:https?:?//)?[^/]+/(?:[^A-Z]*/)?(?:[a-z][^A-Z/]{2,}|[0-9a-f]{12,})(?P<word>[A-Z][a-z]{1,14}|[A-Z]{3,14})$"
)
"""A path in small letters, and the first word of the next line."""

_WORD_ENDS: Final = frozenset({" ", ":", ",", "!", "'"})
_TRAILING: Final = ".,;:!?)]}'*-_~|…"
_GLUED_SUFFIX: Final = re.compile(
    r"(\.(?:com\.br|co\.uk|com|org|net|de|fr|ru|io|gg|tv|app|ly|me|shop|store|co))(?=[A-Z]|[^\x00-\x7f]|-?\d{1,2}(?:%|$))"
)
_SUSPECT_SUFFIXES: Final = frozenset(
    "it is so me my to in at be no us am do la as by pm im id hr st sh md py js ts cc zip mov".split()
)
"""Suffixes that are words or file types: a bare name with one needs more to be a link."""


class Link(NamedTuple):
    """A link from `start` up to `end`, in characters.

    Attributes:
        start: Its first character in the text.
        end: One past its last.
        url: As the folded text has it, without what was glued to it.
        domain: Registrable domain, in lower case.
        subdomain: What stands before it, "" for none or "www".
        label: The registrable domain without its public suffix, as written.
        path: What follows the host.
        kind: What kind of site it leads to.
    """

    start: int
    end: int
    url: str
    domain: str
    subdomain: str
    label: str
    path: str
    kind: LinkKind


def find_links(folded: str, limit: int = 200) -> tuple[Link, ...]:
    """Return the first `limit` links of a folded text, in order; glued ones are taken apart."""
    links: list[Link] = []
    at = 0
    if "." not in folded and "//" not in folded:
        return ()
    unbroken = lost_line_breaks(folded)
    while len(links) < limit and (match := _LINK.search(folded, at)):
        url = _unglued(match.group())
        if unbroken:
            url = _without_word(url.rstrip(":"), folded, match.start())
            url = _without_label(_of_id_length(url), folded, match.start())
        at = match.start() + max(len(url), 1)
        if link := _link(match.start(), url.rstrip(_TRAILING)):
            links.append(link)
    return tuple(links)


def lost_line_breaks(folded: str) -> bool:
    """Return whether a text has so few lines for its links that its source must have dropped the breaks."""
    return "\u2028" in folded or folded.count("\n") * 2 < folded.count("://")


def _unglued(url: str) -> str:
    if "(" in url and ")" not in url:
        url = url[: url.index("(")]
    if glued := _NEXT_SCHEME.search(url) or _DRAWN_IN_URL.search(url) or _NAMED_EMOJI.search(url):
        url = url[: glued.start()]
    host = _HOST.match(url)
    if host and (glued := _GLUED_SUFFIX.search(url, 0, host.end())):
        url = url[: glued.end(1)]
    return url


def _without_word(url: str, folded: str, start: int) -> str:
    """Return the link without the word of the next line that runs on from its path."""
    if spoken := _SPOKEN.search(url):
        return url[: spoken.start()]
    at = start + len(url)
    following = folded[at : at + 1]
    if following in _WORD_ENDS and (named := _WORD_ON_SLUG.match(url)) and not _is_short(url):
        return url[: named.start("word")]
    if following in {":", "'"} and (named := _NAME_AT_END.search(url)):
        return url[: named.start()]
    if following in {" ", ":"} and (word := word_glued_to(url)):
        return url[:word]
    return url


def _is_short(url: str) -> bool:
    """Return whether a link is a redirect, whose path may be of letters of either case."""
    host = _HOST.match(url)
    return host is not None and host.group(1).lower() in SHORTENERS


def _of_id_length(url: str) -> str:
    """Return the link without what runs on from a path whose length is known."""
    match = _ID.match(url)
    length = _ID_LENGTHS.get(match.group(1).lower()) if match else None
    if match is None or length is None or len(match.group(2)) <= length:
        return url
    path = match.group(2)
    chosen = match.group(1).lower() == "bit.ly" and path[0] not in "1234"
    if chosen or not path[length].isupper():
        return url
    return url[: match.start(2) + length]


def _without_label(url: str, folded: str, start: int) -> str:
    """Return the link without the first word of the next link's label."""
    if "/" not in url.partition("://")[2]:
        return url
    named = _LABEL_AT_END.search(url)
    if named and _NEXT_LABEL.match(folded, start + len(url)):
        return url[: named.start()]
    return url


def _link(start: int, url: str) -> Link | None:
    host = _HOST.match(url)
    # User information before a host (RFC 3986, 3.2.1) is how a link looks as if it led elsewhere.
    if host is None or _USER.match(url):
        return None
    name = host.group(1).strip(".")
    subdomain, label, suffix = _parts(name)
    if (
        not label or not suffix or suffix.isdigit() or "%" in name
    ):  # a host has no encoded characters (RFC 3986, 3.2.2)
        return None
    if ":/" not in url and not _is_plausible(url, name, suffix):
        return None
    domain = f"{label}.{suffix}".lower()
    return Link(
        start=start,
        end=start + len(url),
        url=url,
        domain=domain,
        subdomain=subdomain.lower().removeprefix("www.").removeprefix("www"),
        label=label,
        path=url[host.end() :],
        kind=_kind(domain, subdomain.lower(), url[host.end() :]),
    )


@lru_cache(maxsize=65_536)
def _parts(host: str) -> tuple[str, str, str]:
    subdomain, label, suffix = split_host(host[:253])
    shop = f"{label}.{suffix}".lower()
    if subdomain and shop in SHOP_HOSTS:
        below, _, label = subdomain.rpartition(".")
        return below, label, shop
    return subdomain, label, suffix


def _is_plausible(url: str, host: str, suffix: str) -> bool:
    last = host.rpartition(".")[2]
    if url.lower().startswith("www."):
        return True
    if not (last.islower() or host.isupper()) or suffix.lower() in _SUSPECT_SUFFIXES:
        return "/" in url and last.islower()
    return True


def _is_network(domain: str, subdomain: str) -> bool:
    return domain in NETWORKS or (bool(subdomain) and _OF_NETWORK.fullmatch(domain) is not None)


def _kind(domain: str, subdomain: str, path: str) -> LinkKind:
    whole = f"{subdomain}.{domain}"
    if _is_network(domain, subdomain):
        return "network" if subdomain and subdomain != "www" else "hidden"
    if domain in OPAQUE_NETWORKS:
        return "hidden"
    if domain in SHORTENERS:
        return "shortener"
    if whole in STORES or (
        domain in STORES and not (domain == "apple.com" and not path.strip("/"))
    ):
        return "store"
    return "platform" if domain in PLATFORMS else "site"

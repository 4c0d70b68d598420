"""Marks that a text is advertising, without naming the brand in a sentence."""

import re
from typing import Final

from import_worker.detector.phrases.cue import CueTable

ANY_MARK: Final = re.compile(
    r"p(?<!\wp)aid (?:partnership|promotion)\b|#(?:ad|sponsored|paidad|anzeige|werbung|publi)\b"
    r"|\((?:ad|sponsored|werbung)[)\]]|\[(?:ad|sponsored|werbung)[)\]]"
)
"""Marks that tell that somebody paid, wherever they stand. Each begins with a plain character, to which a search skips."""

LINE_MARKS: Final = CueTable(
    slot="near",
    strength="weak",
    kind="paid_sponsorship",
    reason="marked as advertising",
    phrases={
        "werbung": (r"[(\[*](?:bezahlte |unbezahlte )?werbung[)\]*]?", r"#werbung\b"),
        "anzeige": (r"[(\[*]anzeige[)\]*]?", r"#anzeige\b"),
        "spons": (
            r"[(\[*]sponsor(?:ed|is[eé]e?)?[)\]*]",
            r"#(?:sponsored|sponsor|sponsoredpost|gesponsert)\b",
        ),
        "ad": (r"[(\[* -](?:ad|paid ad)[)\]*](?!\w)", r"#(?:ad|advert|paidad)\b"),
        "publi": (
            r"#(?:publi|publicidade|publipost|publicidad)\b",
            r"[(\[]publi(?:cidade|cidad)?[)\]]",
        ),
        "pub": (r"#(?:pub)\b",),
        "реклам": (r"[(\[*#]реклама[)\]*]?",),
        "paid p": (r"\bpaid (?:partnership|promotion)\b",),
        "pr": (r"【pr】|\[pr\]|#pr\b",),
        "光": (r"光告",),
        "プロモーション": (r"プロモーションを含",),
        "유료": (r"유료 ?광고",),
        "협찬": (r"[(\[]\*? ?협찬(?:품|받음)?[)\]]",),
        "광고": (r"[(\[]\*? ?(?:유료 ?)?광고[)\]]",),
        "廣告": (r"[(\[](?:含)?廣告[)\]]",),
        "广告": (r"[(\[](?:含)?广告[)\]]",),
        "広告": (r"[(\[]広告[)\]]",),
        "reklam": (r"[(\[*]reklam[ae]?[)\]*]",),
        "annons": (r"[(\[*]annons[)\]*]",),
        "mainos": (r"[(\[*]mainos[)\]*]",),
        "iklan": (r"[(\[*]iklan[)\]*]",),
        "współpraca": (r"[(\[*](?:płatna )?współpraca(?: reklamowa)?[)\]*]",),
        "adv": (r"[(\[]adv[)\]]",),
    },
)

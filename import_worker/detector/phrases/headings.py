"""Headings of the blocks of a description, by what the block lists."""

import re
from typing import Final, Literal

from import_worker.detector.phrases.exclusions import NOT_CREDITED

Topic = Literal["sponsors", "social", "own", "gear", "music", "credits", "affiliate"]

HEADINGS: Final[dict[Topic, re.Pattern[str]]] = {
    "sponsors": re.compile(
        r"(?:\b(?:thanks|thank you|shout ?outs?|thx)(?: so much| again| also)? to (?:all )?(?:our|my|the) (?:\w+ ){0,2}(?:sponsors|partners)\b[^\n:]{0,40}:"
        r"|\b(?:check ?out|visit|support|meet|see|from) (?:my|our|the|today'?s) (?:\w+ ){0,2}(?:sponsors|partners)\b ?\W?[:\-⬇▼↓\n]"
        r"|(?:^|(?<=[^\w \[(]))\W*(?:my|our|channel|video|official|main|proud|other|additional|current|the)?(?: \w+)? ?(?:sponsors|partners|sponsorships)\b(?: ?(?:links?|discounts?|codes?|deals?|and \w+))? ?\W?[:\-⬇▼↓\n]"
        r"|\b(?:proudly )?(?:supported|sponsored) by ?:"
        r"|\b(?:nossos?|meus?|nuestros?|mis) (?:patrocinador(?:es)?|parceiros?|apoiadores|socios|sponsors?)\b|\bpatrocin(?:ador(?:es)?|io|ío)\b ?:|\bpatrocinador(?:es)?\b(?=\W{0,4}(?:@|https?:|\n))|patrocinadores ?:|\bparcer(?:ia|ias|eiros?)\b ?:|\bapoio ?:"
        r"|\b(?:offizieller? |meine? |unsere? )(?:\w+ )?partner(?:n|in)?\b ?\W{0,60}|\bpartner(?:n)?\b ?[:\-]{1,}\W{0,60}|\b(?:meine|unsere) sponsoren\b|\bsponsoren ?:"
        r"|\b(?:mes|nos|mon|notre) (?:partenaires?|partenariats?|sponsors?)\b[^\n:]{0,30}|\bpartenaires?(?: officiels?| du clip| de la vid[eé]o)? ?:|\bpartenariats? ?:|\bsponsors? ?:"
        r"|(?<![а-яё])партн[её]р\w? (?:канала|программы|видео|выпуска|проекта|шоу|ролика)\b|(?<![а-яё])(?:наши|мои) (?:партн[её]ры|спонсоры)\b|(?<![а-яё])спонсор\w? (?:канала|программы|выпуска|проекта)\b"
        r"|\bpenaja(?: rasmi)? ?:|\bdidukung oleh ?:|\bsponsor(?:zy|i|er|lar(?:ımız)?|i video) ?:|\bsponzo(?:r|ři|ri) ?:|\bpokrovitelji? ?:"
        r"|\bauspician ?:|\bauspiciantes ?:|\bpartner(?:zy|i) ?:|\byhteistyökumppanit ?:|\btámogatók ?:|\bnhà tài trợ ?:|ผู้สนับสนุน(?:หลัก)? ?:|الرعاة ?:"
        rf"|{NOT_CREDITED}提供(?:元|企業)? ?[::]|スポンサー一覧|後援 ?[::]|협찬사|후원사)",
        re.MULTILINE,
    ),
    "affiliate": re.compile(
        r"\b(?:affiliate|referral|discount|deal|coupon|promo(?: code)?|rabatt|affiliations?|affili[eé]s?) (?:links?|codes?|liens?)\b|\baffiliates? ?:|\bdiscounts? ?:|\bdeals ?:|\brabattcodes?\b|\bcodes? promos?\b|\bcupons\b|\bbons plans\b|(?<![а-яё])скидки\b ?:|(?<![а-яё])промокоды\b"
    ),
    "social": re.compile(
        r"\b(?:follow (?:me|us)|find (?:me|us) on|social(?:s| media)?|subscribe|connect with|my socials|folgt? (?:mir|uns)|suivez|réseaux sociaux|abonne|redes sociais|redes sociales|sigue(?:me|nos)|me siga|instagram ?[:\-➜►]|facebook ?[:\-➜►]|twitter ?[:\-➜►]|мои соцсети|соцсети|подписыва\w+|я в |инстаграм ?:|вконтакте|youtube channel)\b"
        r"|instagram ?[:\-➜►>]|facebook ?[:\-➜►>]|twitter ?[:\-➜►>]|инстаграм ?:|チャンネル登録|sns|구독"
    ),
    "own": re.compile(
        r"\b(?:my|our) (?:merch|shop|store|book|course|website|other channel)|\bmerch(?:andise)?\b ?[:\-]|\bmein (?:shop|merch|buch)|\bma boutique|\bminha loja|(?<![а-яё])мо[йя] (?:мерч|магазин|книга)"
    ),
    "gear": re.compile(
        r"\b(?:my|our|the)? ?(?:gear|equipment|setup|kit|camera gear|filming gear|tools? (?:i|we) use|what i use|equipamentos?|équipement|mon (?:setup|matériel)|mat[eé]riel|ausrüstung|kamera|технику?)\b(?: (?:i use|we use))? ?[:\-]"
    ),
    "music": re.compile(
        r"\b(?:music|musik|musique|música|song|songs|soundtrack|музыка|bgm|track ?list)\b ?[:\-]|音楽|楽曲"
    ),
    "credits": re.compile(
        r"\b(?:credits|directed by|director|produced by|editor|edited by|cast|starring|crew|montage|regie|режисс[её]р|монтаж)\b ?[:\-]"
    ),
}
"""A block reaches from its heading to the next heading."""

STEMS: Final[dict[Topic, tuple[str, ...]]] = {
    "sponsors": (
        "sponsor", "partner", "supported by", "patroc", "parcer", "apoiador", "apoio", "socios", "parten",
        "партн", "спонсор", "提供", "スポンサー", "後援", "협찬사", "후원사",
        "penaja", "didukung oleh", "sponzo", "pokrovitelj", "auspician", "yhteistyökumppan", "támogatók", "tài trợ", "สนับสนุน", "الرعاة",
    ),
    "affiliate": (
        "affili", "referral", "discount", "deals", "coupon", "promo", "rabatt", "codes promo", "cupons", "bons plans", "скидки", "промокоды",
    ),
    "social": (
        "follow ", "find ", "social", "subscribe", "connect with", "socials", "folg", "suivez", "réseaux", "abonne", "redes", "sigue", "me siga",
        "instagram", "facebook", "twitter", "соцсети", "подпис", "я в ", "инстаграм", "вконтакте", "youtube channel", "チャンネル登録", "sns", "구독",
    ),
    "own": ("merch", "my shop", "my store", "our store", "my book", "my course", "my website", "our website", "other channel", "mein ", "ma boutique", "minha loja", "мой ", "моя "),
    "gear": ("gear", "equip", "setup", "kit", "tools", "what i use", "équip", "mat", "ausrüstung", "kamera", "техник"),
    "music": ("music", "musi", "música", "song", "soundtrack", "музыка", "bgm", "track", "音楽", "楽曲"),
    "credits": ("credits", "direct", "produced", "edit", "cast", "starring", "crew", "montage", "regie", "режис", "монтаж"),
}  # fmt: skip
"""Words of which each match of a pattern holds one."""

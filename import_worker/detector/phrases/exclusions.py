"""Words that tell that a phrase, an offer or a link is no sponsorship of an outside brand."""

import re
from typing import Final

NEGATED: Final = re.compile(
    r"\b(?:not|n't|isn't|wasn't|never|no|non|nicht|kein|keine|pas|aucun|sin|sem|não|nao|nunca|senza|не|nahi|nahin|nor|without|un)[ \-]+(?:\w+ ){0,3}$"
    r"|n't (?:\w+ ){0,3}$"
)
"""Read on what stands before a disclosure."""

NEGATED_BEHIND: Final = re.compile(
    r"(?:포함하지|받지|하지) ?않|(?:가|는|이) 아닙|(?:가|는|이) 아니|ではありません|ではない|含まれてい?ません|受けていません"
)
"""Read on what stands behind a disclosure, in languages that negate there."""

NOT_SPONSORED: Final = re.compile(
    r"\b(?:not|n't|never) (?:\w+ ){0,2}sponsored|\bno(?:t a)? sponsor(?:s|ed|ship)?\b|\bnon[ -]sponsor|\bunsponsored"
    r"|\bnicht (?:gesponsert|bezahlt)|\bkeine (?:bezahlte )?werbung|\bunbezahlte werbung|\bno (?:es|está|fue) patrocin"
    r"|\bnão (?:é|foi) (?:patrocin|publi)|не реклама|광고[^.\n]{0,12}(?:포함하지 ?않|아닙|아니)|(?:広告|案件|pr)ではありません|\bpas sponsoris"
)

CONTACT: Final = re.compile(
    r"\b(?:want|would like|like|wish|interested in|looking|wanna|how|seek\w*|discuss\w*)(?: \w+){0,4} "
    r"(?:sponsor\w*|partner\w*|collab\w*|advertis\w*|brand)"
    r"|\bfor (?:(?!the |their )\w+ ){0,3}(?:sponsorships?|partnerships?|collaborations?|collabs|advertis\w*)\b"
    r"|\bbecome (?:a|our|my) (?:sponsor|partner|member|patron)|\bsponsor (?:a|this|the|our|my|us|me|an?) "
    r"|\b(?:inquir|enquir|anfragen|contac|contat|kontakt|сотруднич|booking|e-?mail(?:s|:| me| us| at| -)|@gmail)"
    r"|\bdevien[st] |\bdevenir|\bстать спонсор|\bстан\w* (?:нашим )?спонсор|(?<!за )\bспонсорство\b|\bspons?or werden|\bmembre"
    r"|\bconviértete|\bseja (?:um |nosso )|\bsponsor(?:ship)?s? ?(?:opportunit|request|deck)|お問い合わせ|문의"
    r"|\bsponsor ol|\bhire me|\bwork with (?:me|us)\b|\bpress:"
)
"""Lines that ask for sponsors or offer membership."""

OWN: Final = re.compile(
    r"\bmerch(?:andise|andising|store|shop)?\b|\b(?:my|our|mein|meine|meinem|unser|unsere|unserem|eigene[rnm]?|mon|ma|notre|mes|nos"
    r"|mi|mis|nuestr[ao]|meu|minha|nosso|nossa|meus|il mio|la mia|мой|моя|моём|наш|наша|мои)(?: \w+){0,3} "
    r"(?:shop|store|book|books|buch|bücher|course|courses|kurs|kurse|patreon|channel|kanal|cha[iî]ne|album|single|ep|tour|podcast|newsletter|academy"
    r"|marke|brand|app|game|clothing|apparel|line|collection|presets?|e-?book|livre|boutique|marque|programmes?|coaching"
    r"|tienda|loja|curso|cursos|libro|livro|canal|магазин|мерч|бренд|курс|книг\w*|канал\w*|music|song|songs|website|site|webshop|fanshop|onlineshop)\b"
    r"|\bpatreon\b|\bchannel member|\b(?:channel|youtube|my|our) memberships?\b|\bpatrons?\b|\btwitch prime\b|\bмерч\b|\bfanshop\b|\bt-?shirts?\b|\bhoodies?\b"
)
"""The creator's own things."""

SUPPLIED_MATERIAL: Final = re.compile(
    r"\b(?:music|song|songs|track|tracks|beat|beats|audio|sound|sounds|sfx|soundtrack|lyrics|footage|clips?|images?|photos?|photography"
    r"|pictures?|video|videos|subtitles?|captions?|captioning|translation|stills|stock|graphics|information|content|materials?|musik|musique"
    r"|música|catering|lights?|lighting|camera|grip|location|costumes?|wardrobe|make-?up|hair|vfx|transport\w*|security|equipment|studio|distribution|distributed"
    r"|licen[sc]ed?|vocals?|animation|voice|data|stats|score|samples? pack|instrumental|background|license|remix|artwork|services?|support|props|cars?|outfits?|bgm)\b|음악|브금|音楽|曲"
)
"""Objects that film and music credits name as provided."""

CREDITS: Final = re.compile(
    r"\b(?:directed|director|produced|producer|production|composed|composer|starring|cast|dop|choreograph\w*|cinematograph\w*"
    r"|edited|editor|label|distribut\w*|written by|lyrics|feat\.?|singer|vocals|mixed|mastered|photograph\w*|stylist|executive"
    r"|digital partner|online promotion|media partner|music partner|radio partner|travel partner|wardrobe|costume|℗|©)\b"
)
"""Credits of films, shows and music."""

CHARITY: Final = re.compile(
    r"\bcharit(?:y|ies|able)\b|\bdonat\w+|\bfundrais\w*|\bnon-?profit\b|\bfoundation\b|\bspenden\b|\bunicef\b|\bngo\b"
    r"|\bсбор средств\b|\bblood drive\b|\bdon(?:s|ation)\b|\brelief fund\b"
)

STATE: Final = re.compile(
    r"\b(?:state|government|foreign|russia\w*|china|iran|kremlin|tax\w*)[\- ]sponsored\b|\bsponsored (?:child|kids?|terror|legislation|bill)"
)

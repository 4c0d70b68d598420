"""Words by which one promo code is for several sites."""

import re
from typing import Final

_ALL: Final = (
    r"all|any|every|each|both|these|those|following|alle[nmrs]?|jede[mnrs]?|folgende[mnrs]?|diese[mnrs]?|beide[nr]?|tous|toutes|chaque|ces|suivante?s?|tod[oa]s|est[oae]s|ess[ea]s"
    r"|siguientes|seguintes|cada|tutt[ie]|quest[ie]|seguenti|wszystk\w+|poniższ\w+|všech|všechn\w+|tüm|bütün|semua|berikut|onderstaande|deze|alla|dessa|всех|все|любом|этих"
)
_SITES: Final = (
    r"(?:web)?sites?|shops?|stores?|links?|partners?|sponsors?|brands?|compan(?:y|ies)|retailers?|(?:web)?seiten|läden|marken|partnern?|firmen|händlern?|boutiques?|marques?|partenaires?|liens?|sitios|tiendas?|marcas?"
    r"|enlaces|páginas|socios|patrocinadores|lojas?|parceiros?|siti|negozi|marchi|sklep\w*|stron\w*|mar(?:ek|kach|kami)|obchod\w*|znač\w+|mağaza\w*|siteler\w*|markalar\w*|toko|situs|winkels?|merken|butiker|länkar"
    r"|сайт\w*|магазин\w*|бренд\w*|партн\w+|ссылк\w+"
)

FOR_ALL: Final = re.compile(
    rf"\b(?:{_ALL})(?: \w+){{0,2}} (?:{_SITES})\b|\b(?:all|any|each|both|every ?one) of (?:these|those|them)\b|\ball (?:these|those|of the (?:below|following))\b"
    r"|\b(?:everything|anything|alle[ns]?|tout|todo|tudo|tutto|wszystko) (?:\w+ ){0,2}(?:below|listed|linked|unten|hier unten|ci-dessous|abajo|abaixo|qui sotto|sotto|poniżej)\b|(?<![а-яё])вс[её] (?:\w+ )?ниже(?![а-яё])"
    r"|(?:すべて|全て|以下)の?(?:サイト|ショップ|店舗?|ブランド|リンク)|(?:모든|아래) ?(?:사이트|쇼핑몰|브랜드|업체|링크)|(?:所有|以下|全部)(?:网站|網站|店铺|店鋪|品牌|商店|链接|連結)"
)
"""On the line of a code: it is for each of the list that follows. "All orders" are those of one shop."""

ABOVE: Final = re.compile(
    r"\b(?:all|any|each|both|every ?one) (?:of )?(?:the )?(?:\w+ )?above\b|\b(?:alle[nr]?|allen) (?:\w+ )?oben\b|\bobigen\b|\btous ci-dessus\b|\btod[oa]s (?:\w+ ){0,2}(?:arriba|acima)\b|\btutti (?:\w+ ){0,2}sopra\b"
    r"|\bpowyższych\b|\bwszystkich powyżej\b|(?<![а-яё])всех (?:\w+ )?выше(?![а-яё])|上記(?:すべて|全て|の)|위의? 모든|以上所有"
)
"""The list stands before the code."""

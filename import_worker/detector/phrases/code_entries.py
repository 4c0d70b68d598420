"""What stands in an entry of a list around its name: its role, a product behind it, and words for its code."""

import re
from typing import Final

_SIGN: Final = r"(?:[-:(/|→➜➡►=>,\[【]+|(?<=\s)[\"'])"
_QUOTED: Final = r"\"[^\"\n]{1,30}\""
_WORD: Final = r"[^\W_A-ZÀ-ÞА-ЯЁ][\w'&.]*|[+&x]"
_CODE_LEAD: Final = (
    r"(?:(?:with|w/|use|using|my|our|the|code|discount|promo|enter|get \w+ with|mit|dem|meinem|mein|unser|nutzt?|avec|mon|notre|con|com|col|il|mi|mio|nuestro|meu|nosso|met|mijn|onze|de"
    r"|z|ze|s|se|mój|moim|med|min|vår|cu|по|с|со|мой|моему|наш|мій|ile|pakai|pake|dengan|dùng|per|только|lapp|koodilla|par|en|al|is|ist|est) ?)*"
)

ROLE: Final = re.compile(r"[^\n:►▶→➜➤»\"(]{1,40}?\s?[:►▶→➜➤»]+\s*")
"""What a name is to the creator, before it: "Jackets: "."""

NO_SHOP_ROLE: Final = re.compile(
    r"(?:\S+ ){0,2}(?:maps?|islands?|levels?|lobby|server|room|world|seed|deck|loadout|crosshair|sens|song|track|artist|music|lyrics|recipes?|location|playlist|discord|instagram|insta|gamertag|username|wi-?fi"
    r"|karte|rezept|musik|ort|carte|recette|musique|lieu|mapa|receta|receita|m[uú]sica|lugar|mappa|ricetta|canzone|przepis|muzyka|карта|рецепт|музыка|песня|сервер|harita|tarif|müzik|resep|lagu|lokasi|bgm|場所|地図|지도|노래|地图|地圖)(?: [^\n:]{1,20})?\s?[:►▶→➜➤»]"
)
"""Roles of things that no shop sells."""

JOINS: Final = re.compile(r" (?:и|і|й|y|e|et|und|en|and|och|og|ja|ve|i) (?=[A-ZÀ-ÞА-ЯЁ])")
"""Words for "and" inside a name."""

CASELESS_NAME: Final = re.compile(
    r"[^\s\n:,\-(\[|\"'→/【。、,]{2,18}(?: [^\s\n:,\-(\[|\"'→/【。、,]{2,18}){0,2}?(?=\s?-\s|\s?[:(,|→/\[【]|(?<=[\u3040-\u9fff\uac00-\ud7a3])(?:\s?\"| ))"
)
"""A name in a script without capitals: up to three words before a sign, the first one alone where a product follows it."""

BETWEEN: Final = re.compile(
    rf"(?:\s?\([^()\n]{{2,40}}\))?(?:\s?(?:{_QUOTED}|,? {_WORD})){{0,7}}\s?(?:{_SIGN}|(?<=\" ))\s?{_CODE_LEAD}[\"'(\[【]*"
)
"""A site in brackets, a product in small letters or quotes, a sign, and words for a code."""

SAID_BETWEEN: Final = re.compile(
    r"(?:\s?\([^()\n]{2,40}\))?(?:\s?[-:,.!|→➜➡►]+\s?|\s)[^\n.!?A-ZÀ-ÞА-ЯЁ]{0,40}"
)
"""A sign and words in small letters, before what is to be said."""

ENTRY_LABEL: Final = re.compile(
    r"[^\W\d][^\n]{2,100}?\s?(?:[:→➜➡►|,(/]|\s-)\s?" + _CODE_LEAD + r"[\"'(\[【]*"
)
"""Words and a sign before a code: what the code is for."""

PROSE: Final = re.compile(
    r"[在是的我就了]|那家|這家|这家|(?:에서|으로|는|은|이|가|을|를)$|(?:제|저희|우리|हमार[ाीे]|मेर[ाीे]|अपन[ाीे]|ของ)"
)
"""Words of sentences, and words for what is one's own, in scripts without capitals."""

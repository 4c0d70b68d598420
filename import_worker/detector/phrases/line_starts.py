"""Words that begin a line of a description: glued to the word before, they show a lost line break."""

import re
from collections.abc import Iterator
from typing import Final

_WORDS: Final = (
    r"Follow|Subscribe|Instagram|INSTAGRAM|Insta|Twitter|TWITTER|Facebook|FACEBOOK|Snapchat|TikTok|Tiktok|Discord|Twitch"
    r"|Music|Musik|Musique|Check|Use|USE|Get|GET|Join|Watch|WATCH|Edited|Editor|Thanks|Thank|Business|Listen|Shop|SHOP"
    r"|Download|Order|Support|Website|WEBSITE|Merch|MERCH|My|MY|Our|Mein|Meine|Mon|Ma|Mes|Unser|Unsere|Hier|Mi|Mis|Meu"
    r"|This|FOLLOW|SUBSCRIBE|SHOP|JOIN|Intro|Song|SONG|Camera|Filmed|Directed|Produced"
    r"|Suivez|SUIVEZ|Abonne|Abonnez|Rejoins|Sigue|Siga|Segue|Suscr\w*|Canal|Kanal|Podcast|CODE|Code|Promo|Try|TRY"
    r"|Werbung|WERBUNG|Anzeige|Rabattcode|Patrocin\w*|PATROCIN\w*|Nossos|NOSSOS|Vídeo|Parcer\w*|Partenaires?|PARTENAIRES?|Cupom|CUPOM|Outro"
    r"|Sponsors?|SPONSORS?|Sponsored|SPONSORED|Brought|Click|CLICK|Buy|BUY|Stream|Title|Email|Contact|CONTACT|Learn|Sign"
    r"|The|Spotify|Like|For|Director|Google|Production|Producer|Connect|And|If|Amazon|Video|You|All|About|Special|YouTube|Tumblr|Visit|We|Find|When|Best"
    r"|What|It|But|How|Don|Does|Do|Assistant|Executive|Mixed|Official|So|Please|Make|More|Cast|Pinterest|PO"
    r"|Wenn|Alle|Wir|Ihr|Mehr|Schaut|Danke|Schnitt|Pour|Retrouvez|Retrouve|Merci|Les|Vous|Nous|Voici|Gracias|Para|Este|Esta|Inscreva|Acompanhe|Redes|Obrigado|Contato|Contacto"
    r"|Подпи\w+|Мой|Моя|Мы|Наш|Наша|Группа|Спасибо|Инстаграм|Вконтакте|ВКонтакте|Сайт|Ссылк\w|Музыка|Все|Если|Реклама|По|Спонсор|Партн[её]р|Промокод"
)
_SHORT: Final = r"The|THE|And|For|FOR|With|If|To|You|We|I|In|On|Go"

_GLUED: Final = re.compile(
    rf"(?<=[a-zà-ÿа-яё]{{2}}|[a-z0-9][0-9/)]|[a-z0-9]['\"\]])(?=(?:{_WORDS})(?![a-zà-ÿа-яё]))"
    r"|(?<=[a-zà-ÿа-яё]{2}|[a-z][0-9/)]|[a-z0-9]['\"\]])(?=[A-ZÀ-Ý]{4,}(?![a-zà-ÿ]))"
)
_GLUED_CAPITAL: Final = re.compile(r"[A-ZÀ-ÝА-Я](?<=[a-zà-ÿа-яё0-9][a-zà-ÿа-яё0-9/)'\"\]].)")
"""All that `_GLUED` can begin at; to a plain character a search skips fast."""

_HEADING: Final = re.compile(
    r"(?<![A-Z])(?:SPONSORS?|PARTNERS?|PARTENAIRES?|PATROCINADORES|CREDITS|MUSIC|SOCIALS?|LINKS|GEAR|MERCH)(?=[A-Z][a-z])"
)
"""A heading in capitals to which the first word below it is glued."""

_GLUED_TO_LINK: Final = re.compile(rf"(?<=[a-z0-9/])(?:{_WORDS}|{_SHORT})$")
_CAPITAL: Final = re.compile(r"[A-Z](?<=[a-z0-9/].)")


def glued_words(folded: str) -> Iterator[int]:
    """Yield the starts of such words inside a run of letters."""
    for capital in _GLUED_CAPITAL.finditer(folded):
        if _GLUED.match(folded, capital.start()):
            yield capital.start()
    yield from (heading.end() for heading in _HEADING.finditer(folded))


def word_glued_to(url: str) -> int | None:
    """Return the start of such a word at the end of what looks like a link."""
    starts = (capital.start() for capital in _CAPITAL.finditer(url))
    return next((start for start in starts if _GLUED_TO_LINK.match(url, start)), None)

"""Names of channels that belong to broadcasters, labels, artists, clubs and companies, not to one creator."""

import re
from typing import Final

_MEDIA: Final = re.compile(
    r"vevo$|\b(?:tv|fm|fc|cf|nba|nfl|nhl|ufc|mlb|f1|wwe|espn|bbc|cbs|nbc|abc|cnn|fox|mbc|sbs|kbs|jtbc|tvn|ndr|wdr|zdf|ard|rtl|prosieben)\b"
    r"|\b(?:news|noticias|nachrichten|notícias|haber|records?|recordings|music|musik|música|songs|films?|movies?|movieclips|cinema|pictures"
    r"|entertainment|studios?|drama|series|serial\w*|novela\w*|radio|rádio|network|television|télévision|magazine|times|journal|gazette"
    r"|official|officiel|oficial|offiziell|resmi|league|club|football|united|championship|productions?|comics|trailers?|kids songs|media)\b"
    r"|новост\w*|телеканал\w*|сериал\w*|официальн\w*|канал\b|радио|公式|テレビ|ニュース|공식|뉴스|방송|드라마|음악|频道|頻道|卫视|電視|电视",
    re.IGNORECASE,
)


def is_media(channel: str) -> bool:
    """Return whether a channel's title reads as a broadcaster's, label's, artist's, club's or company's."""
    return _MEDIA.search(channel) is not None

"""Words that tell that a statement is of something else than the video, or of persons and no company."""

import re
from typing import Final

_OTHER: Final = r"stadiums?|stadion|arena|exhibition|exhibit|museum|league|liga|ausstellung|exposici[oó]n|exposition|estadio|est[aá]dio|stade|stadio|mostra|museo|mus[eé]e|выставк\w|стадион\w?|лиг[аи]"
_IS: Final = r"is|are|was|were|gets?|got|has been|had been|ist|wird|wurde|est|a été|es|fue|é|foi|è|è stat[oa]"

_PUBLIC_EVENT: Final = r"race|marathon|festival|conference|tournament|championship|cup|league|gala|summit|expo|convention|tour de \w+"
"""What is held for many, and has sponsors of its own."""

OTHER_SUBJECT: Final = re.compile(
    rf"\b(?:{_OTHER}) (?:{_IS}) (?:\w+ )?$|\bteam [\w'\-]+ (?:{_IS}) (?:\w+ )?$"
    rf"|\b(?:he|she|they|er|elle|él|ella|ele|ela|lui|lei) (?:{_IS}|were|are) (?:\w+ly )?(?:in )?$"
    r"|^\W*(?:patrons?|donors?|backers?|supporters?|mitglieder|mécènes|mecenas|меценаты) ?(?:and|und|et|y|e|и|[&,/+]) $"
    r"|\b(?:song|lyrics?|track|poem|lied|chanson|canci[oó]n|canzone|m[uú]sica|песня) ?: ?[\"']?$"
    rf"|\bthe (?:\w+ ){{0,2}}(?:{_PUBLIC_EVENT})(?: \w+){{0,2}} (?:(?:is|was|are|were) )?(?:also |proudly |kindly )?$"
)
"""Read on what stands before a statement: it is of a place, a club or a person, of supporters, or a song's name."""

OTHER_OBJECT: Final = re.compile(
    rf"\bsponsors? (?:(?:of|for) (?:the |a |our local |my local )?(?:\w+ )?(?:{_OTHER}|{_PUBLIC_EVENT}|club|team|kit|jersey)\b"
    r"|(?:at|in|on|of|from) (?:the |our |my )?[\w ]{1,16} tiers?\b)"
)
"""A sponsor of a club or a place, or a supporter."""

IN_THE_PAST: Final = re.compile(
    r"\b(?:he|she|they|i|we|(?:our|my|his|her|their) first sponsor) (?:was|were|got|became)\b[^.!?\n]{0,60} (?:in (?:the )?(?:19\d\d|20[01]\d)|at (?:the age of |age )\d\d|at \d\d(?=[.,!]|$)|(?:back then|years ago))\b"
)
"""A statement of somebody's past."""

NO_LONGER: Final = re.compile(
    r"\bused to (?:be |get |have been )?(?:\w+ )?sponsor"
    r"|\bsponsor(?:ed|isiert|isée?s?) (?:by|von|par) [^.!?\n]{2,40} (?:until|till|up to|bis|jusqu'en|jusqu'à) (?:\w+ )?(?:19|20)\d\d\b"
    r"|\b(?:gesponser?t|patrocinad[oa]s?) (?:von|por) [^.!?\n]{2,40} (?:bis|hasta|até) (?:\w+ )?(?:19|20)\d\d\b"
    r"|\bsponsors? (?:(?:of|for) )?(?:last (?:week|month|year|time)|(?:the|our|my) (?:last|previous) (?:video|episode|week))(?:'s)?\b"
    r"|\bwar (?:der |unser )?sponsor (?:der letzten|des letzten|vom letzten|letzte) (?:woche|videos?|folge|monat\w*)\b|\bétait le sponsor de la (?:dernière|semaine dernière)"
    r"|\bfue el patrocinador (?:de la semana pasada|del (?:último|anterior) (?:v[ií]deo|episodio))\b|\bfoi o patrocinador (?:da semana passada|do (?:último|anterior) (?:v[ií]deo|epis[oó]dio))\b"
    r"|\bsponsored by [^.!?\n]{2,40} in the past\b|\b(?:formerly|previously|no longer|nicht mehr|früher|autrefois|antes) (?:\w+ )?(?:sponsor|gesponser|patrocinad)"
)
"""A statement of what is over."""

_EVENT: Final = (
    r"super bowl|olympi\w*|olimp\w*|world cup|euro cup|weltmeisterschaft|europameisterschaft|coupe du monde|mundial|copa américa|formula (?:1|one|e)\b|formel (?:1|eins|e)\b|f1 (?:season|team)|nba|nfl|nhl|mlb|ufc|motogp|nascar"
    r"|champions league|premier league|bundesliga|la liga|serie a|ligue 1|(?:\w+ )?national team|(?:\w+ )?nationalmannschaft|équipe de france|selección|seleção|tour de france|giro d'italia|wimbledon|fc [a-zà-ÿ]+|grammys?|oscars?|eurovision"
)
OTHER_EVENT: Final = re.compile(
    rf"\b(?:{_PUBLIC_EVENT})(?:'s)? sponsors?\b|"
    rf"\b(?:sponsor|sponser|patrocin|parrain)\w* (?:(?:the|die|der|das|den|le|la|les|el|los|las|il|i|o|os|a|as) )?(?:{_EVENT})\b(?![^.!?\n]{{0,60}}\b(?:this|dies\w+|cette|cet|este|esta|questo|questa|my|our|mein\w*|unser\w*) (?:\w+ )?(?:vid[eé]os?|vídeos?|episodes?|épisodes?|folgen?|channel|kanal|chaîne|canal|streams?|show|podcast|puntata|episodio|episódio)\b)"
)
"""A company that sponsors an event or a team."""

BEGINS_QUOTATION: Final = re.compile(r"(?:^|[\s(:])(?P<quote>[\"'])$")

ENDS_QUOTATION: Final = re.compile(r"^[^\"'\n]{1,40}(?P<quote>[\"'])(?!\w)")

MADE_BY: Final = re.compile(r"(?:segment|spot|bit|slot|break|read|message)s? by\b")
"""A part of a video that a sponsor, or in a row of credits a person, made."""

ROW_OF_CREDITS: Final = re.compile(
    r"\b(?:thumbnails?|script\w*|edit\w*|research\w*|film\w*|camera\w*|music|sound|art\w*|animat\w*|voice\w*|written|subtitles|captions|hosted|presented) by [^\n]{2,40}[.,;|\n] ?$"
)

OTHER_THING: Final = re.compile(
    r"\b(?:clubs?|teams?|league|stadium|kit|jerseys?|wedding|party|bake ?sale|fundraiser|coffee|beers?|drinks?|snacks?|lunch|dinner|breakfast|pizza|habit|addiction"
    r"|getränke\w*|kaffee|bier|essen|verein\w*|mannschaft|hochzeit|equipos?|fiesta|boda|cervezas?|cafés?|bières?|équipe|mariage|festa|casamento|cervejas?|squadra|birr[ae])\b"
)
"""What no sponsor of a video pays for."""

OBJECT: Final = re.compile(
    r"\b(?:for|für|fürs|pour|de|d'|por|per|para|voor|för|za|за) ?(?:[\w']+ ){0,2}(?:spons\w+|patrocin\w+|parrain\w+|спонс\w+) (?:this|that|the|my|our|today's|tonight's|these|all|some|der|die|das|den|dieses?|diese[rn]?|mein\w*|unser\w*|este|esta|el|la|los|las|nuestr\w+|meus?|minha|o|a|ce|cette|le|les|mon|ma|notre|mes|nos|questo|questa|il) (?P<words>\w[\w'’ \-]{2,40})"
)
"""What somebody is thanked for sponsoring."""

KIN: Final = (
    r"grand(?:ma|pa|mother|father|dad|mom|mum)|granny|nana|mom|mum|mommy|mummy|mother|dad|daddy|father|papa|mama|pops|uncle|aunt|auntie|aunty|cousin|brother|sister|wife|husband"
    r"|girlfriend|boyfriend|fianc[eé]e?|neighbou?r|roommate|coach|teacher|pastor|oma|opa|onkel|tante|mutter|vater|bruder|schwester|frau|nachbar\w*|kumpel"
    r"|maman|mamie|papi|papy|oncle|tonton|tata|cousine?|frère|soeur|sœur|t[ií][ao]|abuel[ao]|prim[ao]|herman[ao]|mam[aá]|pap[aá]|av[oó]|vov[oóôô]|m[aã]e|pai|irm[aã]o?|nonn[ao]|zi[ao]|mamma|babbo"
    r"|бабушк\w+|дедушк\w+|мам[аеы]|пап[аеы]|дяд\w+|т[её]т\w+|брат\w*|сестр\w+|друг\w*"
)

KIN_ALONE: Final = re.compile(rf"(?:{KIN})", re.IGNORECASE)
"""A name that is a relative's: longer ones are companies' as well, as "Papa Murphy's"."""

KIN_FIRST: Final = re.compile(rf"(?:{KIN}) (?P<name>[\w'\-]+)", re.IGNORECASE)
"""A relative with a given name: "Uncle Bob"."""

KIN_BEFORE: Final = re.compile(
    rf"\b(?:my|our|mein\w*|unser\w*|mis?|meus?|minha|mon|ma|notre|mi[oa]|mijn|moj\w*|мо\w+)(?: [\w'\-]+)? (?:friend|buddy|mate|pal|boss|freund(?:in)?|ami[eg]?[ao]?|vriend(?:in)?|{KIN}) $"
)
"""What stands before the name of a person: "my friend", of which a company has several."""

HONORIFIC_BEFORE: Final = re.compile(
    rf"\b(?:mr|mrs|ms|dr|prof|professor|herrn?|frau|familie|family|anh|chị|cô|chú|bác|ông|bà|thầy|bạn|pak|bu|mas|mbak|kak|seu|dona|sr|sra|{KIN})\.? $"
)
"""A title or a relative's word right before a name, in small letters."""

HONORIFIC_BEHIND: Final = re.compile(
    r" (?:bey|hanım|abi|abla|teyze|amca|hoca|dayı|ağabey|ji|saab|bhai|didi|bhaiya)\b|(?:할머니|할아버지|삼촌|이모|선생님)"
)
"""A title right behind a name."""

CHARITIES: Final = re.compile(
    r"\b(?:greenpeace|wwf|oxfam|unicef|unesco|amnesty|m[eé]decins|[aä]rzte ohne|red cross|rotes kreuz|croix[- ]rouge|cruz roja|caritas|natuurmonumenten|legambiente|nabu|bund naturschutz"
    r"|nadleśnictw\w+|muze\w{1,4}|národn\w+|đại(?: học)?|universitas|kemen\w+|dinas)\b|我的|我们|我們|朋友",
    re.IGNORECASE,
)
"""Names of charities, and of what public bodies and friends are called in further languages."""

LENDS_WITHOUT_TRADE: Final = re.compile(
    r"\b(?:society|societies|association|museum|archives?|parish|church|school|fire (?:hall|department|brigade)|feuerwehr|verein|kirche|schule|kirchengemeinde|gemeinde|amicale|paroisse|école|musée"
    r"|asociaci[oó]n|museo|parroquia|escuela|escola|museu|filmoteca|cinemateca|cinémathèque|cineteca|bibliothèque|biblioteca|bibliothek|bibliotheek|library|associa[cç][aã]o|associazione|parrocchia|circolo|scuola|vereniging|kerk|muzeum|stowarzyszenie|parafia|szkoła)\b|(?<![а-яё])(?:музе|общество|школ)|博物馆|博物館|学校|學校|小学",
    re.IGNORECASE,
)
"""Names of societies, museums, schools and parishes: what they lend is no company's supply."""

LEVEL_BEFORE: Final = re.compile(
    r"\b(?:levels?|tiers?|rank|stufe|rang|niveaux?|nivel(?:es)?|níve(?:l|is)|livell[oi]|poziom\w?|úroveň|seviyesi?|nivån?)[ :]{1,2}[\"']?$|(?<![а-яё])(?:уров(?:ень|ня|не|ней)|рів(?:ень|ня)|тариф\w?|ранг\w?)[ :]{1,2}[\"']?$"
)
"""What stands before the name of a supporters' level."""

TITLE_FIRST: Final = re.compile(
    rf"(?:professora?|profesora?|professeur|sheriff|tatie|la mamie|le voisin|la voisine|mr|mrs|ms|miss|dr|prof|sir|lady|don|doña|dona|signor\w?|herr|frau|familie|family|monsieur|madame|mme|señor\w?|seu|pan|pani|pak|pakde|bu|mas|mbak|anh|chị|cô|chú|bác|coach|captain|{KIN})\b",
    re.IGNORECASE,
)
"""A word before a person's name that a text writes as part of it."""

NEIGHBOUR_BEHIND: Final = re.compile(
    r",? (?:next door|down the (?:road|street)|from (?:the )?(?:pub|church|school|club)|across the (?:road|street)|von nebenan|d'à côté|del barrio|de al lado|aqui do lado|de vizinho)\b"
    r"|, (?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|nuestr[oa]) (?!(?:\w+ ){0,2}(?:sponsor|partner|supplier|shop|store|hire|favou?rite))\w"
)
"""Read behind a name: a person is known by where they live, or by what they are to the creator."""

INITIAL_BEHIND: Final = re.compile(r"[A-ZÀ-Þ][\w'\-]+ [A-ZÀ-Þ]")
"""A given name with the first letter of a family's: persons are named so in lists of supporters."""

"""Statements that this video itself was made together with somebody: enough for a name that is no person's or other creator's."""

import re
from typing import Final

from import_worker.detector.phrases.cue import PatternTable

_NOT_A_LINK: Final = r"(?! ?(?:https?:|\+?\d))"
_EN: Final = (
    r"(?:video|film|episode|vlog|series|documentary|show|podcast|short|story|build|project)"
)
_FR: Final = r"(?:vidéo|film|épisode|reportage|documentaire|série|court[- ]métrage|vlog|podcast)"
_ES: Final = r"(?:v[ií]deo|episodio|cap[ií]tulo|reportaje|documental|serie|vlog|podcast|cortometraje|programa)"
_PT: Final = r"(?:v[ií]deo|epis[oó]dio|document[aá]rio|s[eé]rie|vlog|podcast|programa|filme)"
_IT: Final = (
    r"(?:video|episodio|puntata|documentario|serie|vlog|podcast|film|cortometraggio|contenuto)"
)
_DE: Final = r"(?:video|film|folge|episode|reihe|serie|beitrag|doku\w*|vlog|podcast|projekt)"
_MADE_EN: Final = r"(?:made|created|produced|filmed|shot|recorded|done|developed)"
_MADE_FR: Final = r"(?:réalis|tourn|produi|cré|fai|enregistr|mont)\w{0,4}"
_MADE_ES: Final = (
    r"(?:(?:hech|realizad|producid|cread|grabad|rodad)[oa]|se (?:hizo|realiz[oó]|grab[oó]|produjo))"
)
_MADE_PT: Final = r"(?:feit|realizad|produzid|criad|gravad)[oa]"
_MADE_IT: Final = r"(?:realizzat|prodott|creat|girat|fatt|registrat)[oa]"
_JOINT_EN: Final = r"(?:paid |proud |commercial |close )?(?:partnership|collaboration|cooperation)"

MADE_TOGETHER: Final = PatternTable(
    slot="after",
    strength="together",
    kind="paid_sponsorship",
    reason="stated partnership",
    patterns=(
        # English
        rf"\b(?:this|today'?s) (?:\w+ )?{_EN} (?:is|was|has been|comes|came)(?: \w+)? (?:{_MADE_EN} )?(?:\w+ )?in {_JOINT_EN} with\b",
        rf"^\W{{0,4}}(?:proudly )?{_MADE_EN} in {_JOINT_EN} with\b{_NOT_A_LINK}",
        r"\bin (?:paid|commercial) (?:partnership|collaboration|cooperation) with\b",
        # German, Dutch
        rf"\bdies\w{{1,2}} {_DE} (?:ist|entstand|wurde|entsteht|entstanden)(?: \w+){{0,3}} in (?:\w+ )?(?:kooperation|zusammenarbeit|partnerschaft) mit\b",
        r"\b(?:deze|dit) (?:video|film|aflevering|serie|vlog)(?: \w+){1,3} in (?:\w+ )?(?:samenwerking|partnerschap) met\b",
        # French, Spanish, Portuguese, Italian
        rf"\b(?:cette|ce|cet) {_FR} (?:a été|est)(?: {_MADE_FR})?(?: \w+)? en (?:partenariat|collaboration)(?: \w+)? avec\b",
        rf"\best[ea] {_ES}(?: (?:ha sido|fue|es|est[aá]))?(?: {_MADE_ES})? en (?:colaboraci[oó]n|asociaci[oó]n|alianza|cooperaci[oó]n)(?: \w+)? con\b",
        rf"\best[ea] {_PT}(?: (?:foi|é))?(?: {_MADE_PT})? em (?:parceria|colabora[cç][aã]o)(?: \w+)? com\b",
        rf"\bquest[oa] {_IT} (?:è|è stat[oa])(?: {_MADE_IT})? in (?:collaborazione|partnership)(?: \w+)? con\b",
        # Polish, Czech, Russian, the North
        r"\b(?:film|odcinek|materiał|wideo)(?: \w+){0,2} (?:powstał|powstało|zrealizowano|nagrano|stworzono|zrealizowany)(?: \w+)? (?:we|przy) (?:współpracy|partnerstwie) z\b(?: (?:firmą|marką|sklepem))?",
        r"\b(?:video|díl|film)(?: \w+){0,2} vznikl\w?(?: \w+)? ve? (?:placené )?spoluprác[ie] se?\b(?: (?:společností|firmou|značkou))?",
        r"(?<![а-яё])(?:видео|выпуск|ролик|фильм|серия|эпизод) (?:был\w? )?(?:снят|сделан|создан|подготовлен|записан)\w{0,2} (?:совместно с|в (?:сотрудничестве|партн[её]рстве|коллаборации) с)(?: (?:компанией|брендом|магазином|сервисом))?",
        r"\b(?:den h[äa]r|denne|detta|dette) (?:videon|video|filmen|avsnittet|episoden|afsnit)(?: \w+){1,3} i (?:betalt )?(?:samarbete|samarbeid|samarbejde) med\b",
        # Indonesian, Vietnamese
        r"\b(?:video|film|episode|konten|vlog) (?:ini )?(?:\w+ ){0,2}(?:terwujud|dibuat|diproduksi|dipersembahkan|hasil|berkat|atas)(?: (?:berkat|atas|dari|hasil))? (?:kerja ?sama|kolaborasi)(?: \w+)? (?:dengan|bersama)\b",
        r"\b(?:video|tập|clip|vlog|phim)(?: này)? (?:được )?(?:thực hiện|sản xuất|quay|làm) (?:với|nhờ|trong|bởi) (?:sự )?hợp tác (?:cùng|với|của)\b",
        # Arabic, Chinese
        r"برعاية و ?(?:بالتعاون|بالشراكة) مع ",
        r"(?:本|这|這)(?:期|集|次|支|部)(?:视频|影片|節目|节目|片)?(?:是|为|為)?(?:与|與|跟|和) ?(?=[^\n。,]{2,12}(?:合作(?:拍摄|拍攝|制作|製作|完成|呈现|呈現)))",
        r"(?:本期|本集|这期|這集|视频|影片|部分)由(?=[^\n。,]{2,10}(?:特别|特別)(?:支持|赞助|贊助))",
    ),
)

MADE_TOGETHER_BEFORE: Final = PatternTable(
    slot="subject",
    strength="together",
    kind="paid_sponsorship",
    reason="stated partnership",
    patterns=(
        r" ke saath (?:paid )?(?:partnership|collaboration|sahyog) (?:mein|me|main) (?:bana|banaya|banayi|kiya)\b",
        r" ki (?:partnership|sponsorship) (?:mein|me|main|se) (?:bana|banaya|banayi)\b",
        r"(?:,? (?:who|which))? (?:also |kindly )?(?:made|makes?) this(?: (?:video|film|episode|project|build|trip))? possible\b",
        r" के साथ (?:साझेदारी|पार्टनरशिप|सहयोग) में बना\S*",
    ),
)
"""The same with the name before."""

OTHER_MAKERS: Final = re.compile(
    r"\b(?:band|orchestra|choir|ensemble|quartet|records|recordings|music|films?|pictures|productions?|studios?|theatre|theater|festival|podcast|channel|tv|radio|magazine|news|blog"
    r"|club|clubs|society|association|church|league|team|united|fc|festival|orchester|chor|verein|verband|kirche|klub|kanal|orchestre|chœur|chorale|théâtre|chaîne|asociaci[oó]n|orquesta|coro"
    r"|associa[cç][aã]o|orquestra|associazione|orchestra|teatr\w?|stowarzyszenie|vereniging|academy|akademie|acad[eé]mie|academia|conservatory|hospital|clinic|group of|friends|students|kids|children"
    r"|dj|mc|vlogs?|gaming|reacts?|comedy|garage|dad|mom|mum|guy|girl|boys|girls|brothers|sisters|family|prof|dr)\b|乐队|樂隊|频道|頻道|乐团|同学|老师|老師|博主|チャンネル|채널|فرقة|قناة",
    re.IGNORECASE,
)
"""Names of those who make videos, films and music themselves, or whom companies and creators help."""

ORDINARY_WORD: Final = re.compile(
    r"[a-z]+(?:tions?|sions?|ness|ity|ities|ments?|logy|ence|ance|ings?|ers|work|wares?|dom|hood|ship|ists?|ians?)"
    r"|(?:luck|love|money|maths?|physics|science|magic|internet|computers?|robots?|lasers?|electricity|gravity|patience|persistence|time|practice|tools?|donations?|taxes|everybody|everyone|you|we|they"
    r"|this|that|it|what|which|who|nobody|covid|lockdown|ai|steam|patreon|kickstarter|donors?|fans?|backers?|friends?|neighbou?rs?|volunteers|locals|farmers|parents|students|kids|people|others?)",
    re.IGNORECASE,
)
"""A single word before a verb that begins its sentence, and is no name for its capital letter."""

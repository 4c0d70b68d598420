"""Statements that name payment themselves, which any name behind them is enough for, and those of whom a video was made with."""

from typing import Final

from import_worker.detector.phrases.cue import PatternTable

_NAMED: Final = r"(?= ?[@\"\w])(?! ?[\w.\-]+@)(?! ?(?:https?:|\+?\d))"
"""A name follows, no address or telephone number of somebody who sells advertising."""

_COMPANY: Final = r"(?! ?@)"
"""Words that also lead to the handle of whoever sells the channel's advertising."""

_VIDEO: Final = r"(?:video|episode|vid|film|show|series|stream|podcast|vlog|post|content|trip|tour|project|build)"

PAID: Final = PatternTable(
    slot="after",
    strength="firm",
    kind="paid_sponsorship",
    reason="stated sponsor",
    patterns=(
        # English
        rf"\b(?:paid|sponsored) (?:partnership|promotion|collab(?:oration)?|(?:product )?placement|content|advert(?:isement)?|integration|post|review) (?:with|for|from|by) {_NAMED}",
        rf"^\W{{0,4}}(?:sponsored|advert|advertisement) ?[:|] ?{_NAMED}",
        rf"^\W{{0,4}}ad ?\| ?{_NAMED}",
        rf"^\W{{0,4}}sponsor ?(?:[:|]|[➡→►➜>-]+)(?! ?(?:become|want|us|be|click|here|me|my)\b) ?{_NAMED}",
        rf"\b(?:i|we) (?:was|were|got|have been) (?:paid|compensated) by {_NAMED}(?=[^\n.]{{2,40}} (?:to (?:make|do|try|test|review|say|feature|show|talk|film)|for (?:this|making|my time)))",
        rf"\b(?:{_VIDEO}|ad) (?:was |is )?paid for by\b",
        rf"^\W{{0,4}}(?:proudly |kindly |partly |fully )?(?:funded|financed) by {_NAMED}",
        # German
        rf"(?:^\W{{0,4}}|\b(?:enthält|beinhaltet|inklusive|bezahlte) |[(\[*])werbung (?:für|mit|von) ?{_NAMED}",
        rf"\bbezahlte[rs]? (?:partnerschaft|kooperation|zusammenarbeit|produktplatzierung|promotion|werbepartnerschaft|werbung|anzeige) (?:mit|von|für) {_NAMED}",
        rf"(?<!unbezahlte )\bproduktplatzierung(?:en)? (?:von|für) {_NAMED}",
        # French, Italian
        rf"\b(?:collaboration|partenariat|vid[ée]o) (?:commerciale?|r[ée]mun[ée]r[ée]e?|pay[ée]e?) ?(?:avec|:|par|pour) ?{_NAMED}",
        rf"\bcontient (?:une |de la |des )?(?:publicité|promotion|collaboration|placements?)(?: \w+){{0,2}} ?(?:pour|avec|de|:) ?{_NAMED}",
        rf"\b(?:contiene|include|contenuto) (?:una |un )?(?:pubblicità|promozione|collaborazione|sponsorizzazione|inseriment\w+)(?: \w+){{0,2}} ?(?:di|per|con|da|:) ?{_NAMED}",
        rf"\b(?:collaborazione|partnership|promozione) (?:retribuita|pagata|commerciale|a pagamento) ?(?:con|di|:) ?{_NAMED}",
        # Spanish, Portuguese
        rf"\b(?:contiene|incluye|cont[eé]m|inclui|possui) (?:una? |uma? )?(?:publicidade?|publi|promo[cç]i?[oóã]n?o?|parceria|colabora\w+|emplazamiento|patroc[ií]nio|an[uú]ncio)(?: (?:pag\w+|remunerad\w|publicit\w+|comercial|por producto))? ?(?:de|da|do|con|com|para|:) ?{_NAMED}",
        rf"\b(?:colaboraci[oó]n|colabora[cç][aã]o|parceria|promoci[oó]n|promo[cç][aã]o|asociaci[oó]n) (?:pagada|paga|remunerada|comercial|publicit[aá]ria) ?(?:con|com|de|da|do|:) ?{_NAMED}",
        # Dutch, the North
        rf"\b(?:betaalde|commerciële) (?:samenwerking|promotie|partnerschap) ?(?:met|van|:) ?{_NAMED}",
        rf"\b(?:betal[dt]|kommersiel[lt]t?|kommercielt|annons-?) ?(?:samarbei?[dt]e?|samarbejde|partnerskap) ?(?:med|:) ?{_NAMED}",
        r"\bsamarbei?[dt]e? med(?=[^\n(\[]{2,40}[(\[](?:reklam|annons|annonse|reklame)[)\]])",
        rf"\bkaupallinen yhteistyö ?(?:[:|-]|kanssa)? ?{_NAMED}",
        # Polish, Czech, Russian
        rf"\b(?:współpraca (?:reklamowa|płatna|komercyjna)|płatna współpraca|materiał reklamowy) ?(?:z|ze|dla|:|\|) ?(?:marką |firmą )?{_NAMED}",
        r"\blokowani\w (?:produktu|produktów|marki|marek)(?: (?:marki|firmy))? ?:? ?(?=\w)",
        rf"\bplacená spolupráce ?(?:se?|:) ?{_NAMED}",
        rf"(?<![а-яё])рекламн\w+ партн[её]р\w{{0,2}}(?: (?:видео|выпуска|ролика))? ?[:\-] ?{_COMPANY}{_NAMED}",
        r"https?://\S{4,48} ?[^\w\s]{1,3} ?(?:спасибо|благодарим|благодарю) за поддержку (?:компании |бренду )?(?=[a-z])",
        r"(?<![а-яё])(?:спасибо|благодарим|благодарю) за поддержку (?:компанию|компании|бренд|бренду|фирму|магазин|магазину) (?=[a-zа-я])",
        # Korean: a line of the mark and one word
        r"[(\[](?:유료 ?)?광고[)\]] ?(?=[^\s\W]{2,20}\s{0,3}$)",
    ),
)

# Creators make videos with one another as well: a known name or a link has to stand there.
MADE_WITH: Final = PatternTable(
    slot="after",
    strength="fair",
    kind="paid_sponsorship",
    reason="stated advertising or partnership",
    patterns=(
        rf"\b(?:made|created|produced|filmed|shot|recorded|{_VIDEO}|comes to you|brought to you)(?: (?:is|was))? in (?:\w+ )?(?:partnership|collaboration|cooperation|association) with\b",
        rf"^\W{{0,4}}(?:in )?(?:proud |official )?(?:partnership|cooperation) with {_NAMED}",
        r"in association with (?=[^\n:\-|]{2,40} ?[:\-|] ?https?:)(?![^\n:\-|]{0,30}\b(?:films?|pictures|studios?|productions?|records|music|entertainment)\b)",
        rf"^\W{{0,4}}(?:made possible by|(?:proudly )?partnered with) {_NAMED}",
        rf"\b{_VIDEO} (?:is|was|has been) (?:\w+ )?(?:made possible|supported) (?:\w+ )?by\b",
        r"\b(?:i|we)(?:'ve| have)? (?:partnered|teamed) (?:up )?with(?=[^\n.]{2,40} (?:to bring|for this|on this|for today|on today))",
        r"\bi(?:'m| am) (?:\w+ ){0,2}ambassador for\b",
        r"\bi(?:'m| am) (?:now |also |proudly )?an? (?:proud |official )?(?=[^\n.]{2,30} ambassador\b)",
        r"^\W{0,4}(?:dies\w+ video \w+ )?in (?:freundlicher )?(?:kooperation|zusammenarbeit) mit\b",
        r"\b(?:video|folge|beitrag|film|reihe)(?: \w+){0,4} in (?:kooperation|zusammenarbeit) mit\b",
        r"^\W{0,4}(?:en partenariat|en collaboration|en colaboraci[oó]n|em parceria|em colabora[cç][aã]o|in collaborazione|in partnership|in samenwerking) (?:avec|con|com|met)\b",
        r"\b(?:vid[ée]o|v[ií]deo|video|[ée]pisode|episodio|epis[oó]dio)(?: \w+){0,3} (?:en partenariat|en collaboration|en colaboraci[oó]n|em parceria|em colabora[cç][aã]o|in collaborazione|in samenwerking) (?:avec|con|com|met)\b",
        r"(?:^\W{0,3}|(?:الفيديو|الحلقة) )(?:بالتعاون|بالشراكة) مع (?:شركة |تطبيق |متجر )?",
    ),
)

PAYERS: Final = PatternTable(
    slot="subject",
    strength="strong",
    kind="paid_sponsorship",
    reason="thanked or named as sponsor",
    patterns=(
        r"(?:,? who)?(?: (?:has|have|kindly|generously|also|fully|partly))* (?:covered|paid|met|funded) (?:for )?(?:the|all|our|my)(?: \w+)? (?:costs?|expenses) (?:of|for) (?:this|the|our|my)\b",
        r"(?: (?:has|have))? compensated (?:me|us)\b",
        rf"(?: (?:has|have|kindly|generously))* provided (?:the |some |us |me |partial )?(?:funding|financial support) (?:for|to) (?:this|the|our|my) (?:\w+ )?{_VIDEO}\b",
        rf", (?:the |our |official )?(?:\w+ )?sponsor (?:of|for) (?:this|today'?s|the|our|my) {_VIDEO}\b",
        rf", (?:this|today'?s|the|our|my) {_VIDEO}'?s? sponsor\b",
        r"(?:'\w{1,4})? reklam(?:ı|ını)? (?:bulunmaktadır|içerir|içermektedir|içeriyor|vardır)\b",
        r"(?:'\w{1,4})?(?: ile)? iş ?birliği(?: ile|yle| kapsamında| içerir| içermektedir| içeriyor)\b",
        r" द्वारा (?:प्रायोजित|स्पॉन्सर)",
        r"(?:さん|様|さま)?の(?:pr|広告|プロモーション)(?:を含|が含)",
        r"(?:さん|様|さま)提供(?=[】\])])",
        r"的(?:商业|商業|付费)?(?:推广|推廣)(?=[\s。,!]|$)",
    ),
)

MADE_POSSIBLE: Final = PatternTable(
    slot="before",
    strength="fair",
    kind="paid_sponsorship",
    reason="thanked for making it possible",
    patterns=(rf"\bfor making (?:this|today'?s|the|our) {_VIDEO} possible\b",),
)

PAID_TOGETHER: Final = PatternTable(
    slot="after",
    strength="fair",
    kind="paid_sponsorship",
    reason="stated advertising or partnership",
    patterns=(
        r"(?:本|这|這)(?:期|集|次|支|部)?(?:视频|影片|節目|节目|片)?(?:是|为|為)?(?:与|與|跟|和) ?(?=[^\n。,]{2,16} ?合作(?:推出|拍摄|拍攝|制作|製作)?(?:[\s。,!]|$))",
    ),
)

SUPPLIED: Final = PatternTable(
    slot="after",
    strength="strong",
    kind="free_product",
    reason="product supplied",
    patterns=(
        r"\b(?:got|received|was given|were given|was sent) (?:this|it|these|mine|a|an|the)(?: \w+){0,4} (?:from|by)\b(?=[^\n.]{2,40} in exchange for)",
        r"\b(?:recebi|recib[ií]|ganhei) (?:este|esse|esta|o|os|um|el) (?:produto|producto|kit|aparelho|equipo)s?(?: \w+)? (?:da|do|de)\b",
    ),
)

SUPPLIERS: Final = PatternTable(
    slot="subject",
    strength="strong",
    kind="free_product",
    reason="product supplied",
    patterns=(
        r"(?:さん|様|さま)?(?:から|より)の?(?:商品|製品|機材|サンプル)の?(?:ご)?提供を?(?:いただ|頂|受け)",
    ),
)

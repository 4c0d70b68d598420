"""Statements that an outside company paid: the languages follow each other inside each table."""

from typing import Final

from import_worker.detector.phrases.cue import CueTable

_VIDEO: Final = (
    r"(?:this|today'?s?|the|our|my|a (?:part|portion) of|part of|that|these|tonight'?s)"
    r"(?: (?:\w+ ){0,2}(?:video|episode|vid|show|stream|series|podcast|song|project|build|event|channel|trip|tour))?"
)
_THANKED_FOR: Final = (
    r"for (?:so |very |kindly |also |generously |graciously |awesomely |proudly ){0,2}"
)

AFTER: Final = CueTable(
    slot="after",
    strength="strong",
    kind="paid_sponsorship",
    reason="stated sponsor",
    phrases={
        "spons": (
            r"\bspons(?:o|e)r(?:ed|d|ised|ized)?(?: \w+){0,2}? by\b",
            r"(?<![\w] for )\bsponsors?(?: (?:of|for) (?:this|today'?s|the|our|my) \w+)? ?[:|>]",
            r"\b(?:today'?s|our|my|video|this (?:video|episode|week)'?s|episode|main|official|title|weekly)"
            r"(?: awesome| amazing| lovely| wonderful)? sponsors?\b(?: (?:is|are|was|today|of today))?[,:\-]?",
            r"\bsponsor (?:of|for) (?:this|today'?s|the) (?:video|episode|vid|show|week)"
            r"(?: (?:is|was))?[,:\-]?",
            r"\bsponsor(?:isé|isée|isés|ise|isee|ized|izada|izado)e?s?(?: \w+)? par\b",
            r"\b(?:mon|notre|nos|mes) sponsors?\b ?:?",
            r"\bge?sponser?t? (?:von|durch)\b|\bgespons(?:o|e)r(?:t|ed) (?:von|durch)\b",
            r"\b(?:mein|unser|meine|unsere)e?n? sponsor(?:en)?\b ?:?",
            r"\bsponsorizzat[oa] da\b|\bsponsorizzat[oa] (?:dal|dalla)\b",
            r"\b(?:is|ye|yeh) video (?:ke|ka|ki) sponsor(?: hai| hain)?\b",
            r"^\W{0,4}(?:our |my |today'?s )?sponsors?\W{0,4}$",
        ),
        "and by": (r"^and by\b",),
        "brought to you": (r"\bbrought to you(?: \w+){0,2}? (?:by|thanks to)\b",),
        "patroc": (
            r"\bpatrocinad[oa]s?(?: \w+)? (?:por|pelo|pela|pelos)\b",
            r"\b(?:con|com) (?:el |o )?patroc[ií]nio (?:de|do|da)\b",
            r"\b(?:nuestro|nosso|nossos|meu|meus|mis|mi) patrocinador(?:es)?\b ?:?",
            r"\bpatrocinador(?:es)? ?:|\bpatroc[ií]nio ?:",
        ),
        "präsentiert": (
            r"\b(?:video|folge|episode|podcast|sendung)\b(?: \w+){0,3} präsentiert (?:von|durch)\b",
            r"\bwird (?:euch |dir |ihnen )?präsentiert (?:von|durch)\b",
            r"^\W*präsentiert von ?:?",
        ),
        "oferecimento": (r"\boferecimento(?: de| da| do)? ?:?",),
        "спонсор": (
            r"(?<![а-яё])спонсор\w{0,3} (?:этого |данного |нашего |сегодняшнего )?"
            r"(?:видео|выпуска|ролика|программы|серии|эпизода|видоса)\b ?[-:]?",
            r"(?<![а-яё])спонсор\w{0,3} ?[:\-]",
        ),
        "при поддержке": (r"(?<![а-яё])при поддержке\b",),
        "при спонсор": (r"(?<![а-яё])при спонсорстве\b",),
        "интеграци": (r"(?<![а-яё])(?:нативная |рекламная )?интеграция ?[:\-]",),
        "赞助": (r"(?:独家)?赞助(?:商|品牌)? ?[:/|] ?", r"(?:特别)?感谢赞助商 ?[:/|]? ?"),
        "贊助": (r"(?:獨家)?贊助(?:商|廠商|品牌)? ?[:/|] ?", r"(?:特別)?感謝贊助商 ?[:/|]? ?"),
        "冠名": (r"(?:独家|獨家)?冠名(?:商|品牌|播出)? ?[:/|] ?",),
        "traído a": (r"\btraído a (?:ustedes|ti) por\b",),
        "presentado por": (r"\b(?:video|v[ií]deo|episodio) presentado por\b",),
        "gesponsord": (r"\bgesponsord door\b",),
        "sponsorowan": (r"\bsponsorowan\w{1,3} przez\b",),
        "mogelijk gemaakt": (r"\bmogelijk gemaakt door\b",),
        "presented": (
            r"\b(?:this|today'?s|the) (?:\w+ )?(?:video|episode|show|series|stream|season)(?: (?:is|was))? (?:proudly )?presented (?:to you )?by\b",
        ),
        "auspici": (r"\bauspiciad[oa]s? por\b|\bcon el auspicio de\b",),
        "disponsori": (r"\bdisponsori oleh\b",),
        "sponsras": (r"\bsponsras av\b",),
        "sponzor": (r"\bsponzorov\w+ \w{0,10}\b",),
        "tài trợ": (r"\btài trợ bởi\b",),
        "สนับสนุนโดย": (r"สนับสนุนโดย",),
        "برعاية": (r"برعاية(?! ?و ?بال)",),
        "за підтримки": (r"(?<![а-яіїє])за підтримки\b",),
        "в партн": (r"(?<![а-яё])в партн[её]рстве с\b",),
        "рекламодатель": (r"(?<![а-яё])рекламодатель ?[:\-]?",),
        "reklam": (r"\breklam(?:a|lar)? ?[:|]",),
        "партн": (
            r"(?<![а-яё])партн[её]р\w{0,2} (?:этого |нашего |данного )?"
            r"(?:выпуска|видео|ролика|проекта|эпизода|программы|серии)\b ?[-:]?",
        ),
        "реклам": (r"(?:^|[.(*])\s?реклама ?[.:\-]",),
        "提供": (
            r"(?<![\w])(?:番組|動画)?提供 ?[:/|] ?|(?:^|[【\[(■▼◆●※])(?:番組|動画)?提供 ?[:/|]? ?",
        ),
        "協賛": (r"協賛 ?[:/|] ?",),
        "スポンサー": (r"スポンサー(?:様)? ?[:/|] ?",),
        "협찬": (r"협찬 ?[:/|] ?",),
        "지원": (r"제작 ?지원 ?[:/|] ?",),
        "제작비": (r"제작비 ?지원 ?[:/|] ?",),
        "광고주": (r"광고주 ?[:/|] ?",),
    },
)

THANKED_BEFORE: Final = CueTable(
    slot="before",
    strength="strong",
    kind="paid_sponsorship",
    reason="thanked or named as sponsor",
    phrases={
        "sponsor": (
            rf"\b{_THANKED_FOR}sponsoring\b",
            r"\bfor (?:the |their |your )(?:kind )?sponsorship\b",
            rf"\b(?:(?:has|have|is|are|was) )?(?:kindly |generously |graciously |proudly |also )?"
            rf"sponsor(?:ed|ing|s) {_VIDEO}\b",
            r"\b(?:is|was|are)(?: also)? (?:the|today'?s|our|my|this (?:video|episode)'?s)(?: official)? sponsors?\b",
            r"\b(?:agreed|kind enough) to sponsor\b",
            r"\b(?:d'avoir|de|pour avoir|qui|a|ont|pour) (?:sponsorisé|sponsoriser|sponsorise|sponsor)\b",
            r"\bf[uü]rs? (?:das |dieses? )?sponsor(?:n|ing|en)\b",
            r"\bper (?:aver )?sponsorizza(?:to|re)\b",
            r"\bne (?:is video ko )?sponsor (?:kiya|kari)\b",
            r"\bko sponsor karne ke liye\b",
        ),
        "gesponsert": (r"\bgesponser?t(?:es|en|er)?\b(?! (?:von|durch))",),
        "sponser": (rf"\b{_THANKED_FOR}sponsering\b",),
        "patroc": (
            r"\bpor patrocinar(?:nos|me)?\b",
            r"\bpor el patrocinio\b|\bpelo patroc[ií]nio\b",
        ),
        "спонсир": (
            r"(?<![а-яё])за спонсирование\b|(?<![а-яё])спонсирует\b|(?<![а-яё])спонсировал\w?\b",
        ),
        "спонсорс": (r"(?<![а-яё])за спонсорство\b|(?<![а-яё])за спонсорскую\b",),
        "提供": (
            r"(?:の|様の|さんの|様より|さんより|から|より|による|様による)(?:ご)?提供(?:で|を|に|です|に)",
        ),
        "タイアップ": (r"(?:の|様の|さんの|との|様との|さんとの|×)タイアップ",),
        "プロモーション": (r"(?:の|様の|さんの)プロモーション(?:を含み|動画|です|が含)",),
        "スポンサー": (r"(?:が|さんが|様が)スポンサー",),
        "협찬": (r"(?:의|으로부터|로부터|에서|측의|측에서)? ?(?:제품 ?)?협찬(?:을|으로|받|입)",),
        "광고": (
            r"(?:의|으로부터|로부터|에서|와|과) ?(?:유료 ?)?광고(?:를|입니다|가 포함|로)",
            r"(?<!의) ?(?<!의 )유료 ?광고 ?(?:내용|[를가]? ?포함|입니다)",
        ),
        "赞助": (
            r"(?:独家)?(?:冠名)?赞助(?:播出|本期|本集|本视频|本次|了|支持|的)",
            r"(?<=\w)(?:的)?赞助(?=[\s。,!!]|$)",
        ),
        "贊助": (
            r"(?:獨家)?(?:冠名)?贊助(?:播出|本期|本集|本影片|本次|了|支持|的)",
            r"(?<=\w)(?:的)?贊助(?=[\s。,!!]|$)",
        ),
        "冠名": (r"(?:独家|獨家)?冠名(?:播出|本期|本集)",),
        "제작비": (r"에서 ?(?:소정의 ?)?제작비(?:를|을)? ?(?:지원)? ?(?:을|를)? ?(?:지원)? ?받",),
        "함께": (
            r"(?:와|과|이랑|랑) 함께 ?(?:하는 광고|[^.\n]{0,12}(?:제작|지원))",
            r"(?:와|과|이랑|랑) 함께 ?(?:합니다|했습니다|한 영상)",
        ),
        "sponsorlu": (r"\bsponsorlu[gğ]u(?:nda|yla)\b",),
        "원고료": (r"(?:에서|로부터|측에서|으로부터) ?(?:소정의 ?)?원고료를?",),
        "지원": (r"(?:의|로부터|에서|와|과) ?(?:제작)? ?지원(?:을|으로) ?(?:받|제작)",),
    },
)

PARTNER_AFTER: Final = CueTable(
    slot="after",
    strength="weak",
    kind="paid_sponsorship",
    reason="stated partnership",
    phrases={
        "partner": (
            r"\b(?:paid |official |proud )?partner(?:ship|ed|ing|ed up|ing up|s)? with\b",
            r"\b(?:my|our|nos|mes|unser(?:en?)?|mein(?:en?)?|official|offizieller) partners?n? ?[:,]?",
        ),
        "collab": (
            r"\b(?:paid )?collab(?:oration|orating|orated|orazione|oraci[oó]n)? (?:with|avec|con)\b",
        ),
        "unterstütz": (
            r"\bmit (?:freundlicher )?unterstützung (?:von|durch|unseres partners)\b",
            r"\bunterstützt (?:von|durch)\b",
        ),
        "präsentiert": (r"\bpräsentiert (?:von|durch)\b",),
        "teamed up": (r"\bteamed up with\b",),
        "teaming up": (r"\bteaming up with\b",),
        "supported": (r"\bsupported (?:in part )?by\b",),
        "presented": (r"\bpresented (?:to you )?by\b",),
        "association with": (r"\b(?:in )?association with\b",),
        "possible": (r"\bmade possible (?:in part )?(?:by|thanks to|with)\b",),
        "offerte par": (r"\bofferte par\b",),
        "совместно": (r"(?<![а-яё])совместно с\b",),
        "thanks to": (
            r"\bthanks to (?:our|my)(?: good| awesome)? (?:friends|partners?) (?:at|over at|from)\b",
        ),
        "thank you to": (
            r"\bthank you to (?:our|my)(?: good)? (?:friends|partners?) (?:at|over at|from)\b",
        ),
        "shoutout": (r"\bshoutout to\b",),
        "shout out": (r"\b(?:big )?shout out to\b",),
        "proud to": (r"\bproud to (?:be (?:a )?part of|represent|work with)\b",),
        "за поддержку": (r"(?<![а-яё])(?:спасибо|благодарим|благодарю) за поддержку\b",),
        "ad for": (r"\b(?:paid )?ad for\b",),
        "ambassador": (r"\bambassador (?:for|of|to)\b",),
        "embajador": (r"\bembajador[a]? de\b",),
        "ambassad": (r"\bambassad(?:eur|rice) (?:de|pour)\b",),
        "markenbotschafter": (r"\bmarkenbotschafter(?:in)? (?:von|für)\b",),
        "partner of": (r"\b(?:proud|official) partner of\b",),
        "apresentado": (r"\bapresentado (?:por|pela|pelo)\b",),
        "présenté": (r"\bprésenté par\b",),
        "apoyo": (r"\bcon el apoyo de\b",),
        "apoio": (r"\bcom o apoio d[eoa]\b",),
        "soutien": (r"\bavec le soutien (?:de|du|d')",),
        "supporto": (r"\bcon il supporto di\b",),
        "dzięki": (r"\bdzięki wsparciu\b",),
        "samarbete": (r"\bi (?:betalt )?samarbete med\b",),
        "birliği": (r"\biş ?birliği(?:yle|nde)?\b",),
    },
)

ADVERT_AFTER: Final = CueTable(
    slot="after",
    strength="fair",
    kind="paid_sponsorship",
    reason="stated advertising or partnership",
    phrases={
        "werbung": (
            r"(?<!\w)(?:bezahlte )?werbung(?: (?:für|mit|von)\b| ?[:|/])",
            r"(?<!\w)werbung ?\*? ?(?=https?:)",
        ),
        "anzeige": (r"(?<!\w)anzeige ?[:|/]",),
        "paid promotion": (r"\bpaid promotion (?:for|by|from|with)\b",),
        "paid partnership": (r"\bpaid partnership with\b",),
        "up with": (r"\b(?:hooked|linked|teamed)[ \-]up with(?= ?@)",),
        "partenaria": (r"\bpartenariats?(?: (?:commercial|r[eé]mun[eé]r[eé]))? ?(?:avec|:)",),
        "partenaire": (
            r"\b(?:mon|notre|nos|mes) partenaires?\b(?: \w+){0,3} ?:",
            r"\b(?:mon|notre|nos|mes) partenaires?\b",
        ),
        "partnerschaft": (r"\bin (?:bezahlter )?partnerschaft mit\b",),
        "kooperation": (r"\b(?:in )?(?:bezahlter )?kooperation mit\b",),
        "zusammenarbeit": (r"\bin zusammenarbeit mit\b",),
        "parceria": (r"\b(?:em |uma )?parceria (?:com\b|:)",),
        "colaboraci": (r"\bcolaboraci[oó]n pagada (?:con|de)\b",),
        "при участии": (r"(?<![а-яё])при участии\b",),
        "партн": (r"(?<![а-яё])(?:наш|мой) партн[её]р\b ?[:\-]?",),
        "kollaboration": (r"\bin kollaboration mit\b",),
        "support": (r"\bwith (?:the )?(?:kind |generous |very kind )?support (?:of|from)\b ?:?",),
        "paid for by": (r"\b(?:video|episode|ad|advert|content) (?:was |is )?paid for by\b",),
        "produktplatzierung": (
            r"\bunterstützt durch produktplatzierung(?:en)? ?[:(]? ?(?:von\b)?",
            r"\bproduktplatzierung(?:en)? (?:von|für)\b",
        ),
        "samenwerking": (r"\bin (?:betaalde )?samenwerking met\b",),
        "współprac": (r"\bwe? współpracy z\b|\bwspółpraca (?:reklamowa )?z\b",),
        "partner:": (r"(?:^|[^\w ]|[^\w]{2})(?:official |main |media )?partner:",),
        "colabora": (
            r"\bem colaboração com\b",
            r"\b(?:en|con la) colaboración (?:con|de)\b",
        ),
        "collaboration commerciale": (r"\bcollaboration commerciale (?:avec\b|:)",),
        "en collaboration": (r"\ben collaboration (?:rémunérée )?avec\b",),
        "anuncio": (r"\banuncio ?[:|]",),
        "publi": (r"\b(?:publicidade|publicidad|publi) ?[:|]",),
        "adv": (r"#adv\b ?",),
        "合作": (r"(?:品牌)?合作(?:品牌|厂商|廠商|伙伴|夥伴) ?[:/|] ?",),
        "collaborazione": (r"\bin collaborazione con\b",),
    },
)

MADE_POSSIBLE: Final = CueTable(
    slot="before",
    strength="fair",
    kind="paid_sponsorship",
    reason="thanked for making it possible",
    phrases={
        "making": (rf"\b{_THANKED_FOR}making (?:this|today'?s|it)\b",),
        "rend": (r"\b(?:qui|de) rend(?:re|ent)? (?:ce|cette|possible)\b",),
        "hacer posible": (r"\bpor hacer posible\b",),
    },
)

PARTNER_BEFORE: Final = CueTable(
    slot="before",
    strength="weak",
    kind="paid_sponsorship",
    reason="thanked for support",
    phrases={
        "support": (
            rf"\b{_THANKED_FOR}supporting (?:this|today|the|our|my|us)\b",
            rf"\b{_THANKED_FOR}(?:the|their|your) support\b",
        ),
        "partner": (rf"\b{_THANKED_FOR}partnering\b",),
        "teaming": (rf"\b{_THANKED_FOR}teaming\b",),
        "collaborat": (rf"\b{_THANKED_FOR}collaborating\b",),
        "hooking": (rf"\b{_THANKED_FOR}hooking\b",),
        "working with": (rf"\b{_THANKED_FOR}working with\b",),
        "soutien": (r"\bpour (?:son|leur|votre) soutien\b",),
        "einladung": (r"\bfür die (?:nette )?einladung\b",),
        "unterstütz": (r"\bfür (?:die|ihre|eure) unterstützung\b",),
        "zusammenarbeit": (r"\bfür die (?:gute |tolle )?zusammenarbeit\b",),
        "apoy": (r"\bpor (?:apoyar|el apoyo)\b",),
        "поддержк": (r"(?<![а-яё])за поддержку",),
        "помощь": (r"(?<![а-яё])за помощь",),
    },
)

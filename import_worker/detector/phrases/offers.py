"""Benefits that a brand offers to viewers, and calls to act on them."""

import re
from typing import Final

BENEFIT: Final = re.compile(
    r"\d ?%(?! (?:of|der|des|de|sure|cotton|human|real|free|vegan|natural|organic|that)\b)"
    r"|[$€£₹]\$? ?\d+(?:\.\d\d)? (?:off|free|bonus|credit|in credit|discount)"
    r"|\d+ ?(?:\$|€|£|euros?|dollars?) (?:off|offerts?|de r[eé]duction|rabatt|geschenkt|de descuento|de desconto|gratis|discount)"
    r"|\$\$+ ?off|\bdiscount\b|\bfree (?:\d+[\- ])?(?:\w+ )?(?:trial|audio ?book|e-?book|class|lesson|delivery|stocks?|coins|gems|skins?|quote|month|gift|sample|shipping|access|credit|account|spins?|box|meals?)"
    r"|\b\d+[\- ](?:day|week|month)s?[\- ](?:free[\- ])?trial|\b(?:days?|weeks?|months?) (?:\w+ )?(?:free|for free)\b"
    r"|\bfirst \d[\d,.]* (?:people|persons|users|subscribers|viewers|of you|to)|\boff (?:of )?your\b|\bsave \d"
    r"|\bfirst (?:month|purchase|order|box|deposit|year|\w+ months?)\b|\bfor free\b|\bbonus(?:es)?\b|\bmoney back\b"
    r"|\bspecial (?:offer|deal|discount)\b|\bexclusive (?:offer|deal|discount)\b|\bextra \d|\bfree bonus"
    r"|\br[eé]duction\b|\bde remise\b|\boffert(?:e|s|es)?\b|\bgratuit(?:e|ement|s)?\b|\bessai gratuit\b|\bbon plan\b"
    r"|\brabatt\b|\bgutschein\b|\bkostenlos\w*\b|\bsparen?\b|\bspart\b|\bgratis\b|\bprobemonat\b|\bcashback\b"
    r"|\bdescuento\b|\bdesconto\b|\boferta\b|\bpromoción\b|\bsconto\b|\bprova gratuita\b|\bomaggio\b"
    r"|\bскидк\w{1,3}\b|\bбонус\w{0,3}\b|\bбесплатн\w{1,4}\b|\bв подарок\b"
    r"|割引|無料|特典|[%円]オフ|할인|무료|छूट|\bchhoot\b|\bsave (?:money|big|up)\b|\bget started\b|\b1st month\b"
)

ACTION: Final = re.compile(
    r"\b(?:go(?: over)? to|head (?:over |on )?(?:to|down)|visit|check (?:it )?out|try(?: out)?|sign up|download|get|grab|click"
    r"|start|join|use|shop|order|buy|learn more|play|install|register|save|receive|claim|watch|support|find out|pick up|apply"
    r"|rejoin\w*|t[eé]l[eé]charg\w*|profite\w*|d[eé]couvr\w*|essaye\w*|clique\w*|cliquez"
    r"|spar\w*|hol\w* (?:dir|euch)|lad\w*|probier\w*|test\w*|er[oö]ffn\w*|spiel\w*|sicher\w* (?:dir|euch)|hier geht"
    r"|descarga\w*|baix\w*|baja\w*|consigue\w*|prueb\w*|cl[ií]ca\w*|acesse|garant\w*|compr\w*|aprovech\w*|conhe[cç]\w*"
    r"|scarica\w*|prova\w*|scopri\w*|iscriv\w*"
    r"|скача\w*|качай\w*|покупа\w*|заказ\w*|регистр\w*|попроб\w*|переход\w*|получи\w*|установ\w*|играй\w*|жми\w*"
    r"|ダウンロード|登録|詳細|購入|다운|구매)\b"
)

REFERRAL: Final = re.compile(
    r"\baffiliate\b|\baff link|\breferral\b|\bpartner ?link|\baffilié|\bd'affiliation\b|\bafiliad|\baffiliat"
)
"""Words that say outright that a link earns the creator something."""

OWN_LINK: Final = re.compile(
    r"\b(?:my|our|this|the) (?:special |unique |personal |promo |custom )?(?:link|url)\b|\bmein(?:en)? link\b|\bmon lien\b|\bmeu link\b"
    r"|\bmi (?:link|enlace)\b|\bпо (?:моей |этой )?ссылке\b|\bce lien\b|\bdiesen link\b|\bpromo link\b"
)
"""Words that say that a link is the creator's."""

SUBSCRIBING: Final = re.compile(
    r"\babonn|\bsubscrib|подпи[сш]|チャンネル登録|구독|\binscri|\bsuscr|\biscriv"
)
"""Asking for subscribers uses the words of offers."""

CALL_TO_TRY: Final = re.compile(
    r"\b(?:download|try(?: out)?|play|get|install|check out|shop (?:on|at)|sign up (?:for|on|to|with)|create (?:an? )?(?:free )?account (?:on|at|with)"
    r"|invest (?:on|with)|t[eé]l[eé]charge[rz]?(?: (?:gratuitement|le jeu|l'appli(?:cation)?))?|joue[rz]? (?:gratuitement )?à|descarga(?: gratis)?"
    r"|baixe(?: o| a)?(?: app| jogo)?|spiel(?:t|e)?|lad(?:e|t)? (?:dir|euch)|скачать|скачивай(?:те)?|качай(?:те)?|установи(?:те)?(?: приложение)?"
    r"|устанавливай(?:те)?(?: приложение)?)\s+(?:the |out )?"
)
"""Verbs whose object is what is offered."""

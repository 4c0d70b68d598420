"""Benefits that a brand offers to viewers, and calls to act on them."""

import re
from typing import Final

from import_worker.detector.phrases.benefit_words import BENEFIT_WORDS, REFERRAL_WORDS
from import_worker.detector.phrases.further_calls import CALLS, UNSPACED_CALLS

BENEFIT: Final = re.compile(
    r"\b(?:discount\b"
    r"|free (?:\d+[\- ])?(?:\w+ )?(?:trial|audio ?book|e-?book|class|lesson|delivery|stocks?|coins|gems|skins?|quote|month|gift|sample|shipping|access|credit|account|spins?|box|meals?)"
    r"|(?:days?|weeks?|months?) (?:\w+ )?(?:free|for free)\b"
    r"|first \d[\d,.]* (?:people|persons|users|subscribers|viewers|of you|to)|off (?:of )?your\b|save \d"
    r"|first (?:month|purchase|order|box|deposit|year|\w+ months?)\b|for free\b|bonus(?:es)?\b|money back\b"
    r"|free [$€£] ?\d+|gift cards?\b|подарк\w*|акци[яию]\b|промо\b|best (?:price|deal)s?\b|günstig\w*\b"
    r"|moins chers?\b|выгодн\w*|special (?:offer|deal|discount)\b|exclusive (?:offer|deal|discount)\b|extra \d"
    r"|free bonus|r[eé]duction\b|de remise\b|offert(?:e|s|es)?\b|gratuit(?:e|ement|s)?\b|essai gratuit\b"
    r"|bon plan\b|rabatt\b|gutschein\b|kostenlos\w*\b|sparen?\b|spart\b|gratis\b|probemonat\b|cashback\b"
    r"|descuento\b|desconto\b|oferta\b|promoción\b|sconto\b|prova gratuita\b|omaggio\b|скидк\w{1,3}\b"
    r"|бонус\w{0,3}\b|бесплатн\w{1,4}\b|в подарок\b|chhoot\b|save (?:money|big|up)\b|get started\b|1st month\b)"
    r"|(?=[\d$€£₹])(?:\d percent (?:off|discount)\b|\d ?%(?! (?:of|der|des|de|sure|cotton|human|real|free|vegan|natural|organic|that)\b)"
    r"|[$€£₹]\$? ?\d+(?:[.,]\d\d\d?)* (?:off|free|bonus|credit|in credit|discount)"
    r"|\d+ ?(?:\$|€|£|euros?|dollars?) (?:off|offerts?|de r[eé]duction|rabatt|geschenkt|de descuento|de desconto|gratis|discount)"
    r"|\$\$+ ?off|[$€£] ?\d+(?:[.,]\d\d\d?)* (?:free|trial)\b"
    r"|[$€£₹] ?\d+(?:[.,]\d\d)? ?(?:/|a |per )(?:mo\b|month|year)"
    r"|\d+ ?(?:€|eur|rs\.?|руб\w*|р\.) ?\(?(?:off|rabatt|gutschein|discount|скидк|бонус)"
    r"|\d+[\- ](?:day|week|month)s?[\- ](?:free[\- ])?trial"
    r"|\d+ (?:free )?(?:gold|gems|coins|free spins|free stocks)\b)"
    r"|割引|無料|特典|[%円]オフ|할인|무료|छूट"
    rf"|{BENEFIT_WORDS}"
)

TRIAL: Final = re.compile(
    r"\btrial\b|\bessai\b|\bprobe(?:monat|zeit|abo)\b|\bprueba\b|\bteste gr[aá]tis\b"
    r"|\d[\- ]?(?:days?|weeks?|months?|tage?|monate?|jours?|mois|d[ií]as|mes(?:es)?|дней|месяц\w*)\b"
)
"""Words of a time for which something may be tried."""

ACTION: Final = re.compile(
    r"\b(?:go(?: over)? to|head (?:over |on )?(?:to|down)|visit|check (?:it )?out|try(?: out)?|sign up|download|get|grab|click"
    r"|start|join|use|shop|order|buy|learn more|play|install|register|save|receive|claim|watch|support|find out|pick up|apply"
    r"|rejoin\w*|t[eé]l[eé]charg\w*|profite\w*|d[eé]couvr\w*|essaye\w*|clique\w*|cliquez"
    r"|spar\w*|hol\w* (?:dir|euch)|lad\w*|probier\w*|test\w*|er[oö]ffn\w*|spiel\w*|sicher\w* (?:dir|euch)|hier geht"
    r"|descarga\w*|baix\w*|baja\w*|consigue\w*|prueb\w*|cl[ií]ca\w*|acesse|garant\w*|compr\w*|aprovech\w*|conhe[cç]\w*"
    r"|scarica\w*|prova\w*|scopri\w*|iscriv\w*"
    r"|скача\w*|качай\w*|покупа\w*|заказ\w*|регистр\w*|попроб\w*|переход\w*|получи\w*|установ\w*|играй\w*|жми\w*"
    r"|ダウンロード|登録|詳細|購入|다운|구매)\b"
    rf"|(?<!\w)(?:{CALLS})|{UNSPACED_CALLS}"
)

REFERRAL: Final = re.compile(
    r"a(?<!\wa)(?:ff link|ffilié|filiad|ffiliat)|r(?<!\wr)eferral\b|p(?<!\wp)artner ?link|d(?<!\wd)'affiliation\b"
    rf"|{REFERRAL_WORDS}"
)
"""Words that say outright that a link earns the creator something. Each begins with a letter, to which a search skips."""

AFFILIATE_NOTE: Final = re.compile(
    r"a(?:ffiliate|ffilié|filiad)|p(?:artnerlink|artner-link|rovision\b)|commission|r(?:eferral|(?<!\wr)eflink)|werbelink"
    rf"|{REFERRAL_WORDS}|комисси[юя]|вознагражден|provizi|prowizj|komisyon|hoa hồng|ค่าแนะนำ|ค่าคอม|수수료|紹介料|佣金|分潤"
)
"""Words of a note that links earn the creator something."""

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

IMPERATIVE: Final = re.compile(
    r"^\W*(?:get|try|download|play|check|use|grab|install|join|start|visit|shop|order|claim|sign|save|buy|go|click|head|learn|build|create"
    r"|open|earn|invest|bet|trade|take|discover|explore|enjoy|become|make|win|register|book|switch|upgrade|find|watch|see|read|apply|hire"
    r"|pre-?order|design|customi[sz]e|travel|send|level up|unlock|support your|protect|secure|subscribe to|experience|need|looking for"
    r"|hol|lad|spiel|sicher|teste|installier|bestell|kauf|entdeck|probier|registrier|eröffne|starte|nutz|spar|erhalt|meld|jetzt|erleb|schau|lern"
    r"|télécharge|profite|découvr|rejoin|inscri|commenc|essaye|essaie|parie|investi|joue|ouvr|obten|obtien|bénéfici|command|achet|clique|economis|gagne"
    r"|baix|acess|garant|conhe|abra|invista|jogue|compr|ganh|cadastr|aproveit|clic|particip|assin|experiment|conoce|quer\b|quieres"
    r"|descarg|prueb|consig|negoci|inviert|jueg|empiez|opera|abre|visit|aprovech|reg[ií]str|particip|gana|obt[eé]n|entra|apuesta"
    r"|scaric|prova|scopri|iscriv|acquist|ottien|gioca|ordina"
    r"|скач|качай|установ|покупа|заказ|регистр|играй|начни|попроб|переход|узна|получ|слуша|смотри|забирай|инвестир|откр|выбир|выбер|оформ|куп"
    rf"|{CALLS}"
    r"|закаж|ставь|делай|выигр|читай|изуч|приобр|присоедин|кликай|жми|подключ|активир|участв|зараб|научи|хочешь|пройди|записыв|созда|лучш)\w*",
)
"""A label that begins with such a verb."""

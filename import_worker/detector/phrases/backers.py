"""Statements whose subject is the company: "X sponsors this video", "X keeps the lights on", "they are also the sponsor"."""

from typing import Final

from import_worker.detector.phrases.cue import PatternTable
from import_worker.detector.phrases.exclusions import NOT_CREDITED

_WORK: Final = (
    r"(?:videos?|episodes?|eps?|vids?|shows?|streams?|series|seasons?|podcasts?|pods?|projects?|builds?|channels?|trips?|tours?|journey|adventure"
    r"|content|segment|shoot|giveaway|challenge|club|crew|page|programme|program|live|uploads?|restoration|expedition|race|run)"
)
_THIS: Final = r"(?:this|today'?s|tonight'?s|this (?:week|month)'?s|the|our|my|that|these|all (?:of )?(?:this|these|our|my)|every|each)"
_WORK_DE: Final = r"(?:videos?|folgen?|episoden?|streams?|reihe|serie|staffel|reise|tour|kanal|kanals|projekt|projekts|podcast|beitrag|format|umbau|trip)"
_WORK_ES: Final = r"(?:v[ií]deos?|episodios?|cap[ií]tulos?|canal|programas?|series?|s[eé]rie|podcast|viaje|viagem|temporada|proyecto|projeto|directos?|live|quadro|contenido|conte[uú]do)"
_WORK_FR: Final = r"(?:vid[eé]os?|[eé]pisodes?|[eé]missions?|cha[iî]nes?|s[eé]ries?|lives?|podcasts?|voyages?|projets?|contenus?|aventures?|concept|tournage)"
_WORK_IT: Final = (
    r"(?:video|episodi?o?|puntat[ae]|canale|serie|live|podcast|viaggio|progetto|contenuto|stagione)"
)
_WORK_NL: Final = (
    r"(?:video|video's|filmpje|aflevering|kanaal|serie|podcast|reis|vlog|project|seizoen|stream)"
)
_WORK_PL: Final = r"(?:film\w*|odcin\w+|materia\w+|kana\w+|seri\w+|podcast\w*|podr[oó]\w+|projekt\w*|wideo|stream\w*|wypraw\w+)"
_WORK_RU: Final = r"(?:видео\w*|выпуск\w*|ролик\w*|сери\w+|эпизод\w*|канал\w*|проект\w*|подкаст\w*|стрим\w*|поездк\w+|экспедици\w+|контент\w*|программ\w+|сезон\w*|влог\w*)"
_WORK_NORTH: Final = r"(?:video\w*|avsnitt\w*|afsnit\w*|episode\w*|kanal\w*|vlogg?\w*|podd\w*|podcast\w*|serie\w*|resa\w*|rejse\w*|sesong\w*|s[aä]song\w*|jakso\w*)"

SPONSORS: Final = PatternTable(
    slot="subject",
    strength="strong",
    kind="paid_sponsorship",
    reason="thanked or named as sponsor",
    patterns=(
        rf"(?:,? (?:who|which|that))?(?: (?:very |so |ever so )?(?:kindly|generously|graciously|proudly|also))? (?:(?:has |have |had )?(?:been )?sponsor(?:s|ed)?|(?:is|are|was|were) (?:kindly |also |generously )?sponsoring) {_THIS} (?:\w+ ){{0,2}}{_WORK}\b",
        r" (?:has |have |is |are |was |were )?(?:kindly |also |now )?sponsor(?:s|ed) (?:me|us|it|(?:this|today)(?= *[.!,:;)]| *$))",
        r" (?:is|are|was|were|'s|'re) (?:also |again |once again |back |returning |proudly |still |now |officially |back again )*(?:as )?(?:a|an|the|our|my|today'?s|this (?:\w+)'?s)? ?(?:\w+ ){0,2}sponsors?\b(?! (?:me|us|my|of (?:the )?(?:league|club|team)))",
        r" (?:has |have )?(?:returns?|returning|came|comes?|coming|stepped|jumped|joined?|joins|signed|hopped|got)(?: \w+){0,3} as (?:a|an|the|our|my|today'?s|this \w+'?s)? ?(?:\w+ )?sponsors?\b",
        rf" sponsors {_THIS}\b",
        # French, Italian, Dutch
        rf"(?:,? qui)? (?:a |ont |nous |me |vous )?sponsoris(?:e|ent|é|ait) (?:(?:cette|la|ma|notre|ce|cet|l'|le|mon|les|nos|mes) ?(?:\w+ )?{_WORK_FR}\b|.{{0,12}}(?:aujourd'hui))",
        r" (?:est|sont|redevient|reste)(?: \w+){0,2} (?:le|la|mon|notre|un|les)(?: \w+){0,1} sponsors?\b",
        rf"(?:,? che)? (?:ha |hanno )?sponsorizza(?:to|no|ndo)? (?:questo|questa|il|la|l'|lo|i|quest') ?(?:\w+ )?{_WORK_IT}\b",
        r" (?:è|sono)(?: \w+){0,2} (?:lo|gli|il mio|il nostro|uno) sponsor\b",
        rf"(?:,? die)? sponsort(?:de)? (?:deze|dit|de|het|ons|mijn|onze|me|mij)\b(?: {_WORK_NL})?",
        rf" (?:heeft|hebben) (?:deze|dit|de|het|mijn|onze) {_WORK_NL} (?:mede )?gesponsord\b",
        r" (?:is|zijn)(?: \w+){0,2} (?:de|onze|mijn)(?: \w+)? sponsor(?:en|s)?\b",
        # Turkish
        r"(?:'\w{1,4})? ?sponsorlu[gğ]u(?:nda|yla|ndaki|ndadır)\b",
        r" (?:bu )?(?:video|bölüm|seri|kanal)\w* sponsor (?:oldu|oluyor|olan)\b",
        # Hindi in Latin letters, Indonesian, Tagalog
        r" (?:ne|wale ne|walon ne|team ne) (?:\w+ ){0,4}sponsor (?:kiya|kari|ki|kia|kar)\b",
        r" (?:hi |hain |hai )?(?:is|aaj ke|aaj ki|iss|hamare|humare|apne) (?:video|episode|vlog)(?: ke| ka| ki)? sponsors?\b",
        r"(?: yang)?(?: sudah| telah| udah)? (?:men|nge|me|nga)?sponsori(?:n)? (?:video|konten|channel|kanal|vlog|episode|kami|saya|aku|kita|gue)\b",
        r" (?:na |ang )?(?:sponsor|nag-?sponsor|nagpa-?sponsor|nag-?isponsor|nagsponsor)(?: po)? (?:ng|sa|nitong|ng ating|namin|natin|ko|para)\b",
        rf"(?:,? qui)? (?:a |ont |nous )?parrain(?:e|ent|é) (?:cette|la|ma|notre|ce|cet|l'|le|mon|les) ?(?:\w+ )?{_WORK_FR}\b",
        r" (?:is|are|was|were|'s|'re) (?:kindly |actually |literally |very kindly |also )?paying (?:for (?:this|today|the|my|our|it|all|everything|me)|(?:us|me)\b|the (?:bills?|rent))",
        rf" (?:kindly |actually |literally |also |very kindly )?(?:has |have )?(?:paid|pays?) (?:for {_THIS} (?:\w+ )?{_WORK}\b|(?:me|us) (?:to (?:make|talk|mention|say|try|tell|do)|for th)|to be (?:here|in this|part))",
        r" (?:kindly |actually |literally )?pays (?:for|the bills?|our|my)\b",
        r" (?:foots?|footed|covers?|covered|picks? up|picked up) (?:the|my|our) (?:\w+ )?bills?\b",
        r" (?:pick(?:s|ed)?(?: up)?|cover(?:s|ed)?) (?:up )?the (?:whole |entire )?tab\b",
        r" (?:is|are) (?:today'?s|this week'?s|the|our) ad reads?\b",
        r" (?:finance|financent|paye|paient|payant)(?:nt)? (?:cette|ce|la|le|ma|notre)\b",
        r"(?:,? котор\w+)? заказал\w? (?:эту |нам )?реклам\w+",
        r"(?<=\w) реклам(?:ирует|одатель)\b",
        r"(?:对|为|給|给)?(?:本期|本集|本频道|这期|這集|本视频|这个视频|这支影片)(?:视频|节目|影片|内容)?的?(?:独家|特别)?赞助",
        r"(?:也|也是|就是|是)(?:这|本|今天|我)[^\n。,]{0,8}赞助(?:商|方)?",
        r"(?:對|為|給)?(?:本期|本集|本頻道|這期|這集|這支|本影片)(?:影片|節目|內容)?的?(?:獨家|特別)?贊助",
        r"(?:也|也是|就是|是)(?:這|本|今天|我)[^\n。,]{0,8}贊助(?:商|方)?",
        r"(?:さん|様|さま)?(?:の)?提供で(?:お送り|お届け)",
        rf"{NOT_CREDITED}提供(?:動画|回|案件|(?=\s|$|#))",
        r"(?:さん|様|さま)?(?:の提供で|が|の)お送りし(?:ます|ました|ています)",
        r"(?:さん|様|さま)(?:から|より|との)?(?:の)?(?:pr|タイアップ|企業|お)?案件(?!等|や|依頼|は|の(?:お問|ご))",
        r"(?:から|より|との)の?(?:pr|タイアップ|企業)?案件(?:です|動画|でした|を(?:いただ|頂)|になります)",
        r"(?:さん|様|さま)(?:は|も|に|が)[^\n。]{0,12}スポンサー",
        r"(?:의|에서|으로부터|로부터|측의|님의|이|가)? ?(?:공식 ?)?후원(?:으로|을 ?받|해 ?주|받아|사입니다)",
        r"(?:의|에서|측에서|님의) ?(?:[가-힣]{1,6} )?지원(?:을|으로|을 받아|해 ?주)",
        r"(?:이|가|에서|측에서|님이) (?:[가-힣]+ ){0,2}도와주(?:셔서|셨|신)",
        r"(?: đã| là bên| chính là)? (?:tài trợ|nhà tài trợ)(?: chính| kim cương| vàng)?(?: cho)? (?:video|tập|clip|vlog|kênh|mình|chuyến|chương trình)",
        r"(?: đã| sẽ)? đồng hành (?:cùng|với)(?: \w+)?",
        r" ?(?:ที่|ผู้|ได้|ช่วย|เป็นผู้)? ?(?:ให้การ)?สนับสนุน(?:คลิป|รายการ|วิดีโอ|ช่อง|ทริป|เรา|ผม)",
        r" (?:ने|इस वीडियो|आज के वीडियो)(?: \S+){0,3} (?:प्रायोजित|स्पॉन्सर|sponsor)",
        r" ने(?: \S+){0,4} स्पॉन्सर (?:किया|की|कर)",
    ),
)

SPONSORS_EITHER: Final = PatternTable(
    slot="beside",
    strength="strong",
    kind="paid_sponsorship",
    reason="thanked or named as sponsor",
    patterns=(
        rf"(?:,? (?:der|die|das|welche))?(?: \w+){{0,1}} spons(?:er|or)(?:t|te|n|ten) (?:dies\w+|das|die|den|mich|uns|unser\w*|mein\w*|heute|die heutige)\b(?: (?:\w+ )?{_WORK_DE}\b)?",
        r" (?:hat|haben) (?:mir |uns |dies\w+ |das |die |den |unser\w* |mein\w* )(?:\w+ ){0,3}(?:ge|mit|mitge)?spons(?:er|or)t\b",
        r" (?:ist|sind|bleibt|war)(?: \w+){0,2} (?:der|unser|mein|die|unsere|meine|ein)(?:e?n?|er)?(?: \w+){0,2} (?:haupt|video|werbe|kanal)?sponsor(?:en)?\b",
        rf"(?:,? kt[oó]r\w+)? (?:sponsoruj[eą]|zasponsorowa\w+)(?: \w+)? {_WORK_PL}",
        r" (?:jest|są|został\w?|zostaje)(?: \w+){0,2} sponsor(?:em|ami|ką)\b",
        rf"(?:,? som)? (?:har )?sponsr?(?:ar|at|ade|et|er|oi|erer|erede)(?: (?:den h[aä]r|detta|det h[aä]r|dagens|denne|dette|dagens|mig|oss|meg|tämän))? ?{_WORK_NORTH}",
        r" (?:är|er|on)(?: \w+){0,2} (?:dagens|denna|denne|vår|min|tämän)(?: \w+){0,2} sponsor(?:n|i)?\b",
        r"(?:,? kter\w+)? (?:sponzoruje|sponzoroval\w?|sponzorujú)(?: \w+){0,2}",
        r" je(?: \w+){0,2} sponzorem\b",
        rf"(?:,? (?:que|quien|quem))?(?: \w+)? (?:ha |han |nos |me |tem )?patrocin(?:a|an|am|ó|ou|aron|aram|ado|ando) (?:este|esta|esse|essa|el|o|a|la|nuestro|nosso|mi|meu|los|os|tod[oa]s?)(?: \w+)? ?{_WORK_ES}\b",
        r" (?:nos|me) patrocin(?:a|an|am|ó|ou|aron|aram)\b",
        r" (?:es|é|son|são|foi|fue|vuelve a ser|também é|tamb[ií][eé]n es)(?: \w+){0,2} (?:el|o|la|a|nuestro|nosso|mi|meu|un|um|los|os)(?: \w+){0,1} patrocinador(?:a|es|as)?\b",
        r"(?:,? che)? (?:ha |hanno )?patrocina(?:to|no)? (?:questo|questa|il|la)\b",
        r" (?:hat|haben) (?:mich|uns|dies\w+|das|die)(?: \w+){0,4} bezahlt\b(?! *nicht)",
        rf" bezahlt(?:e|en)? (?:dies\w+|die|das|unser\w*|mein\w*) {_WORK_DE}\b",
        r"(?:,? котор\w+)? (?:спонсирует|проспонсировал\w{0,2}|спонсировал\w{0,2}|спонсируют)\b",
        r" (?:является|стал\w?|стали|снова|опять|тоже|также)(?: \w+){0,2} спонсор\w{0,3}\b",
        rf" ?- ?(?:наш |снова |генеральный |главный |титульный |официальный )*спонсор\w{{0,2}}(?: (?:этого|нашего|сегодняшнего|данного))?(?: {_WORK_RU})",
    ),
)
"""The same in languages whose verb may come first."""


BACKERS: Final = PatternTable(
    slot="subject",
    strength="fair",
    kind="paid_sponsorship",
    reason="thanked for making it possible",
    patterns=(
        r"(?:,? (?:who|which|that))? (?:has |have |had |is |are |also |really |truly |kindly |help(?:s|ed)? |helping |to )*(?:made|makes?|making) (?:this|it|today'?s?|our|the|these|all|everything|my|that)(?: \w+){0,4} possible\b",
        r"(?:,? (?:who|which|that))? (?:has |have |is |are |also |kindly |help(?:s|ed)? |helping )*(?:made|makes?|making) (?:this|it|today'?s?|our|the|these|all|everything|that)(?: \w+){0,4} happen\b",
        r" (?:help(?:s|ed|ing)? )?(?:to )?keep(?:s|ing)?(?: \w+)? lights(?: and \w+)? on\b",
        r" kept(?: \w+)? lights on\b",
        r" (?:help(?:s|ed|ing)? )?(?:to )?keep(?:s|ing)? (?:this|the|our|my|us|me) ?(?:\w+ ){0,3}(?:going|running|alive|afloat|rolling|fed|moving|caffeinated|on the road|on air|free|floating|powered)\b",
        r" (?:has|have|had|got|has got|have got|'s got) my backs?\b",
        r" (?:has|have|had|got|has got|have got|'s got) our backs?\b",
        rf"(?:,? (?:who|which|that))? (?:kindly |generously |also |have been |has been |is |are )?support(?:s|ed|ing) (?:{_THIS} (?:\w+ ){{0,2}}{_WORK}|us\b|me\b)",
        rf"(?:,? che)? (?:ha |hanno )?support(?:a|ano|ato) (?:questo|questa|il|la|l'|i) ?(?:\w+ )?{_WORK_IT}\b",
        rf" (?:kindly |generously |part-)?fund(?:s|ed) (?:{_THIS} (?:\w+ ){{0,2}}{_WORK}|me|us)\b",
        rf" (?:is|are|stands?) behind {_THIS} (?:\w+ )?{_WORK}\b",
        rf" (?:brings?|is bringing|are bringing) (?:you |us )(?:this|today'?s?|the)(?: \w+){{0,2}} {_WORK}\b",
        rf" brought (?:you |us )(?:this|today'?s?|the)(?: \w+){{0,2}} {_WORK}\b",
        r" (?:has |have )?(?:kindly )?teamed up with (?:me|us)\b",
        r" (?:has |have |kindly |also )*partnered (?:up )?with (?:me|us|my|our|this)\b",
        r" (?:is|are) partnering (?:up )?with (?:me|us|my|our|this)\b",
        r" (?:is|are|came|come|jumped|is back|are back)(?: back)? on ?board (?:as|for|with|this)\b",
        r" (?:is|are|came|come)(?: back)? aboard (?:as|for|with|this)\b",
        r" (?:is|are|was|'s|'re) (?:also |again |proudly |now |officially )*(?:the|our|my|today'?s|this \w+'?s|a|an)? ?(?:\w+ ){0,2}partners?(?: (?:of|for|on) (?:this|today'?s|the|our|my)| again|$|[.!,])",
        r" (?:ist|sind|bleibt|wird)(?: \w+){0,2} (?:unser|mein|unsere|meine|der|ein|offizieller)(?:e?[nr]?)?(?: \w+){0,1} (?:werbe|haupt|kanal|kooperations|premium|technik)?partner(?:in)?\b",
        r" (?:est|sont)(?: \w+){0,2} (?:le|la|mon|notre|un|les) partenaires?\b",
        r" (?:jest|został\w?|zostaje)(?: \w+){0,2} partnerem(?: \w+)? (?:film\w*|odcin\w+|materia\w+|kana\w+|seri\w+)",
        r" je(?: \w+){0,2} partner(?:em|om) (?:\w+ )?(?:videa|dílu|kanálu|epizody)",
        r" (?:è|sono)(?: \w+){0,2} (?:il|i|un) partner\b",
        r" (?:är|er)(?: \w+){0,2} (?:vår|min|dagens|kanalens) (?:samarbets|annons)?partner\b",
        r" (?:est|sont)(?: \w+){0,2} (?:le|la|mon|notre|un|les) partenaires?\b",
        r"(?:,? que|,? quem)? (?:torna|tornam|tornou|tornaram|deixou) (?:\w+ ){0,3}poss[ií]ve(?:l|is)\b",
        r"(?:,? qui)? (?:a |ont )?ren(?:d|dent|du) (?:\w+ ){0,3}possibles?\b",
        r"(?:,? che)? (?:ha |hanno )?(?:rende|rendono|reso) (?:\w+ ){0,3}possibil[ei]\b",
        rf"(?:,? qui)?(?: me| nous)? sout(?:ient|iennent) (?:(?:cette|la|ma|notre|ce|cet|l'|le|mon) ?{_WORK_FR}|dans|sur|depuis|encore)\b",
        r"(?:,? qui) (?:me|nous) sout(?:ient|iennent)\b",
        rf"(?:,? che)?(?: mi| ci)? sost(?:iene|engono) (?:questo|questa|il|la|l'|i) ?{_WORK_IT}\b",
        r" (?:maakt|maakte|maken|maakten) (?:deze|dit|de|het|ons|mijn|onze|alles)(?: \w+){0,3} mogelijk\b",
        r" (?:heeft|hebben) (?:deze|dit|de|het|ons|mijn|onze)(?: \w+){0,3} mogelijk gemaakt\b",
        rf"(?:,? die)? steunt? (?:deze|dit|ons|mijn|onze|mij|me) ?{_WORK_NL}?",
        r"(?:,? som)? (?:har )?(?:gör|gjorde|gjort)(?: \w+){0,3} möjlig\w?\b",
        rf"(?:,? som)? stöttar (?:{_WORK_NORTH}|mig|oss|den|det)",
        r"(?:,? som)? (?:gør|gjør|gjorde|har gjort)(?: \w+){0,3} mulig\w?\b",
        r" mahdollist(?:i|aa|ivat|avat)\b",
        r"(?:'\w{1,4})? katk[ıi]lar[ıi]yla\b",
        r"(?:'\w{1,4})? katk[ıi]s[ıi]yla\b",
        r"(?:'\w{1,4})? (?:değerli )?desteğ(?:iyle|i ile|i sayesinde)\b",
        r" (?:bu )?(?:video\w*|bölüm\w*|kanal\w*|seri\w*|bizi|beni) destekl(?:iyor|edi|eyen|edikleri|ediği)\w*\b",
        r"(?: tarafından)? desteklen(?:mektedir|iyor|miştir)\b",
        r" (?:sağlıyor|sağladı|sağlamaktadır)\b",
        r"(?:'\w{1,4})? sayesinde\b",
        r"(?: yang)?(?: sudah| telah)? mendukung (?:video|konten|channel|kanal|vlog|episode|kami)\b",
        r"(?:就是|是)(?:我|本|這|这|今天)[^\n。]{0,8}金主",
        r"(?:对|對)?(?:本期|本集|這集|这期|本频道|本頻道|我們|我们)[^\n。]{0,8}的?(?:大力)?支持",
        r" के सहयोग से",
    ),
)

BACKERS_EITHER: Final = PatternTable(
    slot="beside",
    strength="fair",
    kind="paid_sponsorship",
    reason="thanked for making it possible",
    patterns=(
        r" (?:macht|machte|machen|machten|ermöglicht|ermöglichte|ermöglichen) (?:mir |uns |euch |dies\w+ |das |die |den |heute |unser\w* |mein\w* |es )(?:\w+ ){0,4}möglich\b",
        r" (?:hat|haben) (?:mir |uns |dies\w+ |das |die |den |alles )(?:\w+ ){0,4}(?:erst |überhaupt )?(?:möglich gemacht|ermöglicht)\b",
        r" ermöglich(?:t|te|en|ten) (?:mir |uns |euch |dies\w+ |das |die |den )(?:\w+ ){0,3}",
        rf"(?:,? (?:der|die|das|welche))? unterstütz(?:t|en|te|ten) (?:mich|uns|dies\w+|das|die|den|unser\w*|mein\w*)(?: {_WORK_DE})?\b",
        r" (?:hat|haben) (?:mich|uns|dies\w+|das|die|den) (?:\w+ ){0,4}unterstützt\b",
        rf" finanzier(?:t|te|en|ten) (?:dies\w+|das|die|den|unser\w*|mein\w*) {_WORK_DE}\b",
        r" (?:hat|haben) (?:dies\w+|das|die|den|uns) (?:\w+ ){0,3}finanziert\b",
        r"(?:,? que|,? quien(?:es)?)? (?:ha |han )?(?:hace|hacen|hizo|hicieron|hecho) (?:que )?(?:\w+ ){0,3}posible\b",
        r"(?:,? que)? (?:hace|hacen|hizo|hicieron) posibles\b",
        r"(?:,? que)? viabiliz(?:a|ou|am|aram) (?:est[ea]|ess[ea]|o|a|noss[oa])\b",
        rf"(?:,? que)? banc(?:a|ou|am|aram) (?:est[ea]|ess[ea]|o|a|noss[oa]) {_WORK_ES}",
        rf"(?:,? que|,? quienes)?(?: nos| me)? (?:ha |han )?apoy(?:a|an|ó|aron|ado) (?:est[ea]|el|la|al|a este|nuestr[oa]|mi) {_WORK_ES}\b",
        rf"(?:,? que)?(?: nos| me)? apoi(?:a|am|ou|aram) (?:est[ea]|ess[ea]|o|a|noss[oa]|meu|minha) {_WORK_ES}\b",
        r"(?:,? kt[oó]r\w+)? umożliwi(?:ł|ła|ło|li|ły|a|ają)(?: nam| mi)?\b",
        rf"(?:,? kt[oó]r\w+)? (?:wspiera|wspierają|wsparł|wsparła|wsparli)(?: \w+)? {_WORK_PL}",
        r"(?:,? котор\w+)? (?:сделал\w?|делает|делают)(?: \w+){0,4} возможн\w+",
        rf"(?:,? котор\w+)? (?:поддержал\w{{0,2}}|поддерживает|поддерживают)(?: \w+){{0,2}} {_WORK_RU}",
        r"(?:,? котор\w+)? оплатил\w? (?:эт\w+|наш\w*|нам|мне|весь|всё|все|съёмки|съемки|поездку|производство)",
        r"(?:,? kter\w+)? umožnil\w?\b",
        r"(?:,? kter\w+)? podporuj[eíú](?: \w+)? (?:video|kanál|díl|tvorbu|nás|nas|mě|ma)\b",
    ),
)
"""The same in languages whose verb may come first."""


SAME_AS_BEFORE: Final = PatternTable(
    slot="back",
    strength="strong",
    kind="paid_sponsorship",
    reason="thanked or named as sponsor",
    patterns=(
        r"\b(?:they|they're|it's|the same (?:company|brand|people|folks|guys|lot|crew)|same (?:company|people|folks|guys)|this (?:company|brand))(?: (?:that|who) [^.\n]{0,24})? ?(?:is|are|were|was|have been|came back|come back)? ?(?:also |again |as |still |actually |today )*(?:as )?(?:the|a|our|my|today'?s)? ?(?:\w+ )?sponsor(?:s|ed|ing)?\b(?! (?:by|me if))",
        r"\b(?:they|these (?:companies|brands|businesses|folks|guys)) (?:all |also |really |truly |always )*(?:help(?:s|ed)? (?:us |me )?(?:to )?)?(?:make|keep|made) (?:our|my|these|this|the) (?:\w+ )?(?:videos?|channel|content|show|podcast|episodes?|projects?|builds?|trips?) (?:possible|going|alive|running|free)\b",
        r"\bsie (?:machen|ermöglichen|helfen uns)(?: \w+){0,2} (?:videos|filme|folgen|projekte|den kanal)(?: erst)? ?(?:möglich)?(?=\W|$)",
        r"\b(?:ils|elles) rendent (?:nos|mes|ces) vidéos possibles\b",
        r"\b(?:ellos|ellas|eles|elas) (?:hacen posibles?|tornam possíveis) (?:nuestros|mis|nossos|meus) v[ií]deos\b",
        r"\b(?:who|which)(?:'s| is| are) (?:also |again |once again |kindly )*(?:the |our |my |today'?s |a )?sponsor(?:s|ing)?\b",
        r"\b(?:sie|die|der|das) (?:sind|ist) (?:auch|heute|übrigens|gleichzeitig|zugleich|ebenfalls)(?: \w+){0,3} sponsor\w*\b",
        r"\bdie(?:selbe|selben|ses unternehmen)(?: \w+){0,3} sponsor(?:t|n|en)?\b",
        r"\b(?:ils|elles|c'est eux qui|ce sont eux qui|eux qui)(?: \w+){0,3} sponsor\w*\b",
        r"\b(?:loro|sono anche|è anche)(?: \w+){0,2} (?:lo|gli|i) sponsor\b",
        r"\b(?:zij|ze) (?:zijn|sponsoren)(?: ook| tevens)?(?: \w+){0,2} ?(?:sponsor\w*|deze)\b",
        r"\b(?:sila|sila rin|sila din)(?: po)? ang (?:nag-?)?sponsor\b",
        r"\bmereka (?:juga )?(?:yang )?(?:men)?sponsor\w*\b",
        r"\b(?:to|oni)(?: \w+){0,2} (?:są |jest )?(?:też |również |także )?sponsor(?:em|ami|ują|uje)\b",
        r"\b(?:de|dom) (?:är|sponsrar) (?:också |även )?(?:\w+ ){0,2}(?:sponsor|avsnitt|video)\w*",
        r"\b(?:ellos|eles|elas|ellas|también|también son|también es|também|também são|também é)(?: \w+){0,2} (?:los |o |os |el |as )?patrocin\w+",
        r"\b(?:they|they're)(?: are)?(?: also| kindly)? paying for (?:this|today|the|my|our)\b",
        r"(?<![а-яё])(?:они|он|она|эта же компания|та же компания|эти же)(?: \w+){0,3} спонс\w+",
        r"(?:他們|他们|同一家|這家|同樣|她們)[^\n。]{0,8}贊助",
        r"也是[^\n。]{0,6}贊助",
        r"(?:他們|他们|同一家|这家|同样)[^\n。]{0,8}赞助",
        r"也是[^\n。]{0,6}赞助",
        r"(?:この会社|同じ会社|こちら)[^\n。]{0,10}スポンサー",
        r"\b(?:onlar|aynı firma|aynı marka)(?: \w+){0,3} sponsor\w*",
    ),
)
"""Sponsors named in a sentence before."""

"""Phrases that announce promo codes, and words that are no codes."""

import re
from typing import Final

from import_worker.detector.phrases.calls_to_save import CALLS_TO_SAVE

_QUOTE = r"[\"'“(\[【<*«„:→>➜\-–= ]{1,6}"
_MAYBE_QUOTE = r"[\"'“(\[【<*«„:→>➜\-–= ]{0,6}"
_SHOP = r"(?: (?:bei|für|for|at|chez|sur|on) [^\W\d][\w.&'+ \-]{1,24}(?=:))?"
_PERCENT = r"(?: ?\(?-? ?\d{1,2} ?%[^)\n\w]{0,3}\)?)?"

STEMS: Final = (
    "code", "coupon", "promo", "cupom", "cupón", "cupon", "código", "codigo", "codice", "промокод", "промо-код",
    "промо код", "купон", "cdk", "クーポン", "コード", "쿠폰", "코드", "gutschein", "cdkey", "voucher", "kodu",
    "kod ", "kody", "kodem", "kodzie", "kode ", "kód", "koden", "kod:", "koden ", 'kod"', "codul", "mã ", "โค้ด", "码", "碼", "كود", "كوبون", "कोड", "कूपन", "коду", "кодом", "κωδικό", "קוד", "koodi",
    "推荐码", "kupon", "kupón",
)  # fmt: skip

ANNOUNCEMENT: Final = re.compile(
    rf"(?:\b(?:promo|discount|coupon|rabatt|gutschein|spar|kortings|actie|offer|referral|voucher|invite|gift|checkout|creator|bonus)?"
    rf"[\- ]?codes?(?: promo| de r[eé]duction| r[eé]duc| coupon)?(?: is| ist| est| called)?{_PERCENT}{_SHOP}(?:{_QUOTE}|, (?=[\w\-]{{4,25}}, ))"
    rf"|\b(?:coupon|promo|voucher|cupom|cup[oó]n|(?:rabatt)?gutschein|cdkey)(?: de desconto| code| c[oó]digo)?{_QUOTE}"
    rf"|\bc[oó]dig[oe](?: promocional| de desconto| de descuento| promo)?{_QUOTE}"
    rf"|\bcodice(?: sconto| promo)?{_QUOTE}"
    rf"|промо[- ]?код\w{{0,3}}{_QUOTE}|\bкупон\w{{0,3}}{_QUOTE}"
    rf"|\bkod(?:u|em|zie|y|uyla|unu|umla|umuz|umu|en|et|eks)?(?: (?:rabatow\w+|promocyjn\w+|zniżkow\w+|promosyon\w*|indirim\w*|diskon|promo))?{_QUOTE}"
    rf"|\bkode?(?: (?:promo|voucher|diskon|referral|kupon|undangan))?{_QUOTE}|\b(?:slevov\w+ )?kód(?:em|om|u|ot|dal)?{_QUOTE}|\bkup[oó]n(?:em|u|om)?{_QUOTE}|\bcodul{_QUOTE}"
    rf"|\bmã(?: (?:giảm giá|khuyến mãi|code|giới thiệu|ưu đãi|voucher))?{_QUOTE}|โค้ด(?:ส่วนลด|ลด)?{_MAYBE_QUOTE}|(?<![а-яё])код(?:у|ом)?{_QUOTE}"
    rf"|(?:优惠|折扣|推荐|邀请|兑换|專屬|专属|優惠|推薦|邀請|兌換|序|促銷)[码碼](?:是|为|為)?{_MAYBE_QUOTE}|(?:كود|كوبون)(?: (?:خصم|الخصم))?{_QUOTE}|(?:कोड|कूपन){_QUOTE}|κωδικό(?:ς)?{_QUOTE}|קוד(?: (?:קופון|הנחה))?{_QUOTE}|\bkoodi(?:lla)?{_QUOTE}"
    rf"|(?:クーポン)?コード{_MAYBE_QUOTE}|クーポン{_MAYBE_QUOTE}|(?:할인 ?|쿠폰 ?)?코드{_MAYBE_QUOTE}|쿠폰{_MAYBE_QUOTE})"
    r"([\w\-&]{2,25})",
)

_SHOP_OF_CODE: Final = r"[\"')\]»]{0,2} ?(?:for|at|on|für|bei|auf|pour|chez|sur|para|en|em|no|na|per|su|bij|voor|на|в|для)"
JOINED: Final = re.compile(
    rf"{_SHOP_OF_CODE} [^\n.!?,;:&]{{2,40}}?(?:, ?|,? (?:and|und|et|y|e|en|и|or|oder|ou|o|или) | ?[&+/|] ?)"
    rf"(?:(?:use |with )?(?:the |my )?codes? )?[\"'(\[«]?((?=[A-Z\d]*[A-Z])[A-Z\d]{{2,20}})(?={_SHOP_OF_CODE} )"
)
"""What stands between the end of a code and a further one: "for Acme and SAM2 (for Brightline)"."""

OFFERS: Final = re.compile(
    r" (?:(?:vous|t'|te|nous) ?(?:offre|offrent)|offers? (?:you|us|my|our)|(?:is |are )?(?:giving|offering) (?:you|us|my|our|all)|gives? (?:you|us|my|our)"
    r"|(?:schenkt|schenken|gibt|geben|spendiert|spendieren) (?:euch|dir)|(?:te|os|les) (?:regala|da|ofrece)n?|(?:te|vos|lhes?) (?:dá|oferece|dão)|(?:ti|vi) (?:regala|offre)"
    r"|geeft (?:je|jullie)|daje (?:ci|wam)|дарит|да[её]т|предоставляет)\b"
)
"""Words by which a company gives viewers what a code is for: "Acme gives you 10 % with SAM10"."""

LEADING: Final = re.compile(
    r"\b(?:mit|use|with|avec)\s([A-Z][A-Z0-9]{3,20}|[A-Z]\w{2,16}\d{1,3})(?![\w.])"
)

USED: Final = re.compile(
    r"\b(?:use|using|enter|with|apply|utilise[zr]?|entre[zr]|avec|mit|nutzt?|verwende\w*|benutze\w*|usa[nr]?|use|con|com"
    r"|por|по|введи\w*|вводи\w*|использ\w*|my|mon|meine?[mn]?|mi|meu)\b"
)

PROMO_WORD: Final = re.compile(
    r"promo|discount|coupon|voucher|rabatt|gutschein|descuento|desconto|cup[oó]n|cupom|r[eé]duc|sconto|код|クーポン|쿠폰|할인"
)
"""Words that say that a code gives a discount."""

NO_CODES: Final = frozenset(
    """
    and or to for at in on the a an is it of here below from with your you my our this that these are was be will
    so get off when if by all more link links now not no only please just checkout description can has have
    pour sur le la les de du des et ou en un une dans avec chez votre ton mon sans
    und der die das für bei im auf mit von den ein eine dem gibt bekommt spart
    para por en el los las un una con de do da no na em com e o os as que y
    per il lo gli di su e nel
    на в и для по от до с при за получи получите скидка скидку
    hd hq bar camp camps academy review reviews editor source base studio geass name names red blue black lyoko
    promo promos coupon discount discounts code codes rabatt www http https kit vein orange
    kannst könnt könnten erhaltet erhältst bekommst sparst spare sichert pouvez peux vous tu nous puedes podés obtén você vocês ganhe
    we i they he she also now still works valid expires applied automatically above inside during until till ends
    ici aqui aquí hier здесь тут dos das todo tout tous alle alles our discord
    players subscribers friends warriors wallet viewers free shop store менеджер
    """.split()
)
"""Words that follow "code" without being one."""

NOT_A_PROMO: Final = re.compile(
    r"\b(?:zip|post(?:al)?|qr|source|operator|dress|morse|bar|area|country|caller ?tune|cheat|error|python|java|sql"
    r"|tax|genetic|geheim|binary|friend|hello ?tune|vba|dax|color|colour|clean|legacy|open|full|sample|example"
    r"|no|low|write|writing|written|read|vs|visual studio|download|game|link|time|time-|тайм|тайм-|qr-|civil"
    r"|penal|streamlabs|club|fc|clan|team|roblox|penal)[\- ]codes?\b"
    r"|\btime ?codes?\b|\bcodes? (?:of|walkthrough|editor|review|base|repo(?:s|sitor\w+)?\b|snippets?|examples?)\b|таймкод|тайм-код"
    r"|\bqr-?код|\bcode (?:wars|academy|geass|lyoko|vein|pen|used|i used)\b|\bgithub\b|\bu_code\b"
)

PLATFORM_CODES: Final = re.compile(
    r"support[\- ]a[\- ]creator|\bcreator[\- ]code|code cr[eé]at(?:eur|or)|item ?shop|epic ?partner|epic ?games"
    r"|fortnite|c[oó]digo (?:de )?creador|c[oó]digo (?:de )?criador|creator-?code|code boutique|dans la boutique(?! \w)|boutique fortnite|brawl stars|codeboutique"
    r"|supercell|v-?bucks|code in the (?:item|store)|#ad #epic|friend code|код автора|тег автора"
)
"""Codes that a platform gives to its creators."""

NO_BRAND: Final = CALLS_TO_SAVE | frozenset(
    """
    use my your promo discount coupon code codes off the get with enter checkout order purchase save and link here click up
    everything anything instagram twitter sale % free first now today website black friday all any workshop store shop new powered
    tout toute toutes tous todo todos toda todas alle alles ici aqui aquí hier
    enter apply nutze nutzt benutze benutzt verwende verwendet gib gebt utilise utilisez utiliser entre entrez saisis saisissez tape tapez
    usa usad usen usando utiliza utilizad utilicen introduce ingresa canjea aplica digita digite insira utilize usem inserisci inserite utilizzate
    gebruik gebruikt voer vul użyj użyjcie wpisz wpiszcie skorzystaj zadej zadejte použij použijte použi použite zadajte uplatněte koristi koristite
    använd ange brug brugt bruk indtast käytä syötä kullan kullanın kullanarak girin használd használjátok írd folosește folosiți introdu introduceți
    pakai pake gunakan masukkan masukin gamitin ilagay nhập dùng điền použít
    используй используйте используем введи введите вводи вводите примени примените применяй активируй використовуй використовуйте введіть використай
    χρησιμοποιήστε βάλτε
    type typing say saying mention mentioning quote quoting tell telling write writing pop drop
    sagt sag schreibt schreib tippt tippe dites dis écris écrivez digan diga dile diles escribe escriban escribid digam diga fale falem escreva escrevam
    dite scrivi scrivete digita digitate zeg typ schrijf powiedz powiedzcie podaj podajcie napisz napiszcie řekněte napište skriv säg bilang sebut tulis ketik yazın yaz
    скажи скажите назови назовите напиши напишите пиши пишите
    """.split()
)
"""Capitalised words beside a code that name no shop: words of offers, and what viewers should do with it."""

CHEAPER: Final = re.compile(
    r"\bcheaper\b|\bdiscount|\d ?%|\boff\b|\b\d+ (?:euros?|dollars?|bucks|pounds|quid) (?:back|less)\b|[$€£₽₺₹] ?\d|\d ?[$€£₽₺₹]|\bfree\b|\bdeal\b|\bbonus\b|\brabat\w*|\bgünstiger|\bnachlass|\bgratis\b|\bdescuento|\bdesconto|\bganha|\bsconto|\bkorting|\bzniżk\w*|\btaniej"
    r"|скидк|дешевле|бонус|в подарок|\bslev\w+|\bindirim\w*|\bdiskon\w*|\bpotongan|\bgiảm\b|\bdipotong\b|ส่วนลด|ลด|割引|オフ|サービス|もらえ|付いて|특전|할인|서비스|한 \S{1,3} 더|하나 더|送(?:你|您|一|个|個|\d)|折扣|优惠|優惠|打折|خصم|छूट|\bkharid\w*|\brenda\w*|\bremise\b|\br[eé]duc"
)
"""A price that is lower for viewers."""

PUBLIC: Final = re.compile(
    r"\b(?:i(?:'m| am)|we(?:'re| are)|this is|not in any way|am) (?:not|in no way) affiliated\b|\bnot affiliated with (?:them|the|this|any)\b|\bno affiliation\b|\bnot an affiliate\b"
    r"|\b(?:code|coupon|voucher)\b[^.!?\n]{0,40} is public\b|\b(?:like|as) (?:anyone|anybody|everyone|everybody) (?:else )?(?:can|could|does)\b"
    r"|\bi (?:paid|bought|ordered)\b[^.!?\n]{0,40} with (?:the |a )?(?:public )?(?:code|coupon)\b"
    r"|\bnicht (?:mit \w+ )?affiliiert\b|\bkeine (?:affiliate|partnerschaft)\b|\bsin (?:ninguna )?afiliaci[oó]n\b|\bsem (?:nenhuma )?afilia[cç][aã]o\b|\bsans affiliation\b"
)
"""Words that say that a code is everybody's, and that the creator gains nothing by it."""

"""Benefits, affiliate links and their marks in further languages."""

from typing import Final

BENEFIT_WORDS: Final = (
    r"\b(?:zniżk\w{1,3}|rabatu|rabaty|za darmo|darmow\w{1,3}|gratisow\w+|taniej|korting|kosteloos|gratis proef\w*|sleva|slevu|slevou|zdarma|zľav\w{1,2}|kedvezmény\w*|ingyen\w*"
    r"|reducere|reduceri|indirim\w*|bedava|ücretsiz|hediye|diskon|cashback|potongan harga|giảm (?:giá|thêm|ngay|\d)|miễn phí|tặng (?:ngay|thêm)|ưu đãi|popust\w*|besplatn\w+|rabatt\w*|ilmai\w+|alennus\w*|alennuksen"
    r"|dto\b|descuentos?|descontos?|de regalo|de bienvenida|de boas-vindas|frete gr[aá]tis|env[ií]o gratis|livraison (?:offerte|gratuite)|mois offerts?|premier mois|erster monat|versandkostenfrei|geschenkt|willkommensbonus|startguthaben"
    r"|primo mese|in regalo|gratuit[oai]|omaggio|knižk\w{1,2}|знижк\w{1,3}|минус \d+ ?(?:руб|₽|процент)\w*|скин[еу]т (?:вам )?\d+|безкоштовн\w+|отстъпк\w+|безплатн\w+|попуст\w*|δωρεάν|έκπτωση|for a free|(?:ten|fifteen|twenty|thirty|\d+) (?:bucks|quid|pounds|percent) (?:off|back|less)|gives? you (?:\d|an extra)|(?:vous|nous|t') ?offre(?:nt)? (?:\d|un|vo)|(?:schenkt|schenken) (?:euch|dir)|(?:te|os|les) regala(?:n)?)"
    r"|(?:免费|免費|优惠|優惠|折扣|折抵|[领領]\d+元|新人[券礼禮]|折\d+元|\d+元(?:券|红包|紅包)|現折|立减|立減|立折|打\d折|[0-9]折|减免|試用|试用|赠送|贈送|首月|返现|回饋|プレゼント|お得|クーポン|ポイント|還元|初月|お試し|적립|증정|쿠폰|혜택|할인가|ลด|ฟรี|ส่วนลด|خصم|مجان|הנחה|חינם|मुफ्त|डिस्काउंट)"
)
"""What is given to viewers."""

REFERRAL_WORDS: Final = (
    r"п(?<![а-яё]п)артн[её]рск\w{2,3} ссылк|р(?<![а-яё]р)еф(?:еральн)?\w{0,3}[ -]?ссылк|п(?<![а-яіїє]п)артнерськ\w+ посилан|w(?<!\ww)erbelink|r(?<!\wr)ef(?:erral)?[ -]?link|e(?<!\we)nlaces? de afiliad|l(?<!\wl)inks? (?:de )?afiliad|l(?<!\wl)ien partenaire|l(?<!\wl)iens? affili"
    r"|l(?<!\wl)ink (?:di )?affilia|l(?<!\wl)ink (?:afiliacyjn|polecając|partnersk)|p(?<!\wp)artnerský odkaz|a(?<!\wa)ffiliate-?(?:link|länk|lenke)|a(?<!\wa)nnons-?länk|r(?<!\wr)eklamel?in[ck]|o(?<!\wo)rtaklık lin[kg]|l(?<!\wl)ink giới thiệu"
    r"|アフィリエイトリンク|제휴 ?링크|추천 ?링크|分潤連結|聯盟連結|推薦連結|推荐链接|返利"
)
"""Words that say outright that a link earns the creator something."""

MARKS: Final = (
    r"affiliate(?: ?link)?|aff(?:\.| link)?|werbung|werbelink|anzeige|ad|ads|advert|partnerlink|partner link|sponsored(?: link)?|sponsor|paid(?: link)?|af|ref(?:erral)?(?: link)?"
    r"|lien (?:affilié|sponsorisé|partenaire)|affili[ée]|pub|publicité|sponso|publi|publicidad|publicidade|link (?:de )?afiliado|enlace (?:de )?afiliad[oa]|afiliado|affiliato|link affiliat[oe]|adv"
    r"|reklama|link afiliacyjny|afiliacja|współpraca|reklam|annons(?:länk)?|reklamelink|reklame|реклама|партн[её]рская(?: ссылка)?|реф(?:ерал(?:ка|ьная))?|реферальная ссылка|pr|広告|アフィリエイト|廣告|广告|광고|협찬|제휴"
)
"""Marks in brackets behind a link or a name."""

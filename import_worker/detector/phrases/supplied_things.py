"""Words for what companies supply, and statements that name the thing: "keyboard courtesy of Acme", "Благодарим салон Acme за машину"."""

import re
from typing import Final

from import_worker.detector.phrases.cue import PatternTable

_THING_EN: Final = (
    r"(?:kit|gear|keyboard|mouse|monitor|laptop|tablet|phone|console|headset|microphone|mic|camera|lens|tripod|drone|telescope|mount|microscope|printer|filament"
    r"|stay|hotel|accommodation|lodging|room|villa|cabin|campsite|flights?|transfers?|transport|tickets?|passes|lift pass(?:es)?|tour|cruise|ride"
    r"|costumes?|wardrobe|clothes|clothing|outfits?|dress(?:es)?|suits?|gown|jacket|coat|shirt|shoes|boots|trainers|sneakers|hat|helmet|wetsuit|gloves|glasses|sunglasses"
    r"|jewell?ery|watch|bags?|backpack|bike|bicycle|e-bike|motorbike|motorcycle|scooter|skateboard|board|surfboard|snowboard|skis|canoe|kayak|paddle|boat|yacht"
    r"|car|cars|van|truck|vehicle|campervan|motorhome|trailer|tractor|tyres|tires|wheels|parts|paint|wood|timber|lumber|steel|tools?|saw|drill|welder|tent|stove"
    r"|mattress|furniture|sofa|chair|desk|saddle|tack|guitar|amp|pedals?|piano|keyboard|drums|instruments?|fabric|yarn|flowers|cake|food|drinks|wine|coffee"
    r"|equipment|samples?|copy|units?|venue|beers?|whisk(?:e)?y|snacks|groceries|ingredients|meat|books?|board games?|cards|boosters?|make-?up|skincare|wigs?|mat|rucksack|sleeping bag)"
)
_SUPPLIED: Final = (
    r"(?: (?:was|were|is|are))?(?: (?:all|also|kindly|generously|graciously|very kindly))*"
    r" (?:supplied|provided|loaned|lent|gifted|donated|sponsored|on loan|comped|hosted)(?: out)?(?: to (?:me|us))? (?:by|from)\b"
)
_THING_DE: Final = (
    r"(?:rad|fahrrad|e-bike|auto|wagen|fahrzeug|testwagen|motorrad|roller|wohnmobil|boot|kanu|zelt|handy|smartphone|gerät|testgerät|notebook|kamera|objektiv|drohne|brille|uhr"
    r"|transporter|lkw|leihmaschine|leihwagen|nächte|übernachtung|ticket|tickets|eintritt|kleid|outfit|jacke|schuhe|helm|werkzeug|maschine|material|holz|hotel|zimmer|unterkunft|produkt|produkte|muster|ausrüstung|equipment)"
)
_GIVEN_DE: Final = (
    r"(?:gestellt|geliehen|ausgeliehen|geschickt|zugeschickt|geschenkt|bereitgestellt|überlassen|spendiert|zugesandt"
    r"|zur verfügung gestellt|zur verfügung gstellt)"
)
_NAME: Final = r"[^\W\d_][\w&.'\-]*(?: [^\W\d_][\w&.'\-]*){0,2}"
_NO_ARTICLE: Final = (
    r"(?!(?:d(?:as|en|ie|er|em|es)|ein\w*|mein\w*|viel\w*|nie|nicht|leider|auch|sehr|immer)\b)"
)
_FIRM_DE: Final = r"(?:die firma|das unternehmen|der hersteller|der händler|das autohaus|das hotel|der shop|die marke)"
_FIRM_ES: Final = r"(?:agencia|hotel|tienda|marca|empresa|restaurante|concesionario|hostal|bodega|escuela|compañ[ií]a|gimnasio|cl[ií]nica)"
_GAVE_ES: Final = r"(?:invit|prest|dej|regal|envi|mand|facilit|proporcion|hosped|aloj|acog|ced|visti|patrocin)(?:[oó]|aron|i[oó]|ieron|ado|ido|a|an)"
_FIRM_PT: Final = r"(?:ag[eê]ncia|hotel|pousada|loja|marca|empresa|restaurante|concession[aá]ria|academia|cl[ií]nica)"
_GAVE_PT: Final = r"(?:convid|emprest|mand|envi|presente|ced|hosped|disponibiliz|patrocin|vesti)(?:ou|aram|eu|eram|u|ram|a|am)"
_FIRM_SR: Final = r"(?:salonu|firmi|kompaniji|prodavnici|trgovini|hotelu|restoranu|klubu|autosalonu|tvrtki|poduzeću|strelištu|strelistu|studiju|brendu)"
_LENT_SR: Final = r"(?:ustupljen|pozajmljen|posuđen|pozajmljen|poklonjen|doniran|iznajmljen|obezb(?:ij)?eđen|poslat|poslan)"
_THING_RU: Final = (
    r"(?:автомобил|машин|авто\b|мотоцикл|велосипед|лодк|палатк|катер|помещени|офис|площадк|локаци|пространств|студи|зал\b|стол|одежд|костюм|плать|обувь|кроссовк|украшени"
    r"|оборудовани|инструмент|материал|техник|камер|телефон|смартфон|ноутбук|приставк|продукци|товар|запчаст|шин|реквизит|мебел|номер|проживани)"
)

_THING_FURTHER: Final = (
    # French, Italian, Spanish, Portuguese, Romanian
    r"(?:tenues?|robes?|vestes?|chaussures|costumes?|bijoux|v[eê]tements|v[eé]los?|motos?|bateau|tente|casque|mat[eé]riel|h[eé]bergement|s[eé]jour|lieu|camion|camionnette|voiture|fourgon|appartement|chambre|repas|matelas"
    r"|abiti|abito|vestit[oi]|scarpe|gioielli|bicicletta|bici|tenda|casco|attrezzatura|soggiorno"
    r"|ropa|vestido|zapatos|zapatillas|joyas|bici|moto|barca|tienda de campaña|alojamiento|estancia|vestuario|locaci[oó]n"
    r"|roupas?|sapatos?|t[eê]nis|joias|bicicleta|barraca|hospedagem|figurino|loca[cç][aã]o|ma[sș]in[aă]|haine|cort|caza?re"
    # Dutch, the North, Finnish
    r"|kleding|jurk|schoenen|laarzen|regenjas|regenpak(?:ken)?|rugzak|fiets|tent|verblijf|locatie|kläder|klänning|skor|cykel|cykeln|bilen|tält|tältet|boende|klær|kjole|sykkel|bil|telt|tøj"
    r"|auton|auto|pyörän|pyörä|vaatteet|varusteet|tilan"
    # Polish, Czech
    r"|odzież|ubrania|sukienk\w{1,2}|buty|rower|samochód|samochodu|auta|namiot|namiotu|kajak|kajaka|łódź|sprzęt|sprzętu|nocleg|lokalizacj\w|oblečení|šaty|boty|kolo|vůz|vozu|loď|lodě|stan"
    # Indonesian, Malay, Vietnamese
    r"|pakaian|busana|kostum|sepatu|mobil|mobilnya|motor|motornya|lokasi|tempat|peralatan|penginapan|kasut|kereta|trang phục|quần áo|xe|giày|địa điểm|phòng)"
)
_THING_CASELESS: Final = r"(?:車両|衣装|機材|会場|ロケ地|车辆|車輛|服装|服裝|场地|場地|设备|設備|คลิป|รถ|เสื้อผ้า|ชุด|สถานที่|ที่พัก|السيارة|سيارة|الملابس|المكان|कपड़े|गाड़ी|जगह|автомобіль|авто|одяг|приміщення|αυτοκιν\w+|ρούχα|χώρου?)"

FURTHER_THING: Final = re.compile(rf"\b{_THING_FURTHER}\b|{_THING_CASELESS}")
"""Things in further languages, right beside a statement."""

GIVEN_THINGS: Final = PatternTable(
    slot="after",
    strength="strong",
    kind="free_product",
    reason="product supplied",
    patterns=(
        # English
        rf"\b{_THING_EN}(?: (?:this|in this|of this|for this|in today's|today) ?(?:video|episode|week|month|trip|build)?)?(?: (?:was|were|is|are|come|comes|came))?(?: kindly)? courtesy(?: of\b| ?[:\-] ?)",
        r"(?:costumes?|wardrobe|outfits?|jewell?ery|clothes) courtesy ?[:\-] ?",
        rf"\b{_THING_EN}{_SUPPLIED}",
        r"\b(?:keys?|review cop(?:y|ies))(?: (?:for|of) [^.,\n]{1,24})?(?: (?:was|were))?(?: (?:kindly|generously))? (?:provided|supplied|sent|given|gifted)(?: to (?:me|us))? by\b",
        rf"\b{_THING_EN} by (?=[^\n()\[\]]{{2,30}} ?[(\[] ?(?:sponsored|gifted|gift|on loan|loaned|lent|supplied|provided|c/o|pr)\b)",
        rf"\b{_THING_EN} from (?=[^\n()\[\]]{{2,30}} ?[(\[] ?(?:sponsored|gifted|gift|on loan|loaned|lent|supplied|provided|c/o|pr)\b)",
        # German: what was given stands first, the company behind "mir" or "uns"
        rf"\b(?:das|den|dieses|diesen|mein|meinen|unser|unseren) {_THING_DE} (?:hat|haben) (?:mir|uns) (?:{_FIRM_DE} )?(?={_NO_ARTICLE}{_NAME}(?: \w+)? {_GIVEN_DE}\b)",
        rf"\b{_THING_DE}, (?:das|den|die) (?:mir|uns) (?:{_FIRM_DE} |von )?(?={_NO_ARTICLE}{_NAME} (?:\w+ )?{_GIVEN_DE}\b)",
        rf"\b{_THING_DE} (?:wurde|wurden)(?: (?:mir|uns|freundlicherweise|netterweise|kostenlos|leihweise|für \w+ \w+))* (?:von|vom) (?:der firma |dem hersteller |unserem partner |autohaus |hotel )?(?=[^.\n]{{2,34}} (?:zur verf|gest|gelieh|geschi|gesche|bereitg|überl))",
        # Spanish, Portuguese: a label that says what the company did
        rf"\b{_FIRM_ES} que (?:nos|me) (?:ha |han )?{_GAVE_ES}(?: [^\n:.]{{2,25}})? ?: ?(?=[@\"\w])",
        rf"\b{_FIRM_PT} que (?:nos |me )?{_GAVE_PT}(?: [^\n:.]{{2,25}})? ?: ?(?=[@\"\w])",
        # Italian, Polish, Dutch: "courtesy of", which pictures have too
        rf"\b{_THING_FURTHER}\W{{1,3}}(?:per )?gentile concessione d(?:i|el|ella)\b",
        rf"\b{_THING_FURTHER}\W{{1,3}}dzięki uprzejmości\b(?: firmy| marki| sklepu)?",
        rf"\b{_THING_FURTHER}\W{{1,3}}met dank aan\b",
        r"\b(?:fått )?lånat (?:av|från)\b",
        # Turkish: the participle stands before the name
        r"\b(?:(?:bize|bana) )?(?:\w+ ){0,2}(?:gönderen|yollayan|hediye eden|ödünç veren|temin eden|tahsis eden|ağırlayan|misafir eden)(?: değerli| sevgili)? (?=[^.\n]{2,40}teşekkür)",
        r"\b(?:mekan|mekân|araç|araba|ürün|ekipman|kıyafet|konaklama|ev sahipliği)(?:lar|ler)?(?:ı|i|ü|u)? için (?=[^.\n]{2,40}teşekkür)",
        # Korean: the place or a district may stand before the name
        r"(?:협찬|지원|제공|대여)(?:을|를)? ?해 ?주신 (?:[가-힣]{2,4} )(?=[가-힣a-z]{2,20}(?:\([^)\n]{1,20}\))?(?: ?(?:님|측|대표님))?(?:에게?|께)? ?(?:감사|고맙))",
    ),
)
"""Who supplied what the statement itself names."""

GIVEN_BY_SUBJECT: Final = PatternTable(
    slot="subject",
    strength="strong",
    kind="free_product",
    reason="product supplied",
    patterns=(r" द्वारा (?:\S+ )?(?:दिए|दी|दिया|प्रदान|उपलब्ध|भेज)\S*",),
)
"""Who supplied a thing, named before the words for it."""

THANKED_FOR_THINGS: Final = PatternTable(
    slot="before",
    strength="strong",
    kind="free_product",
    reason="thanked for the product",
    patterns=(
        r"\bfor (?:kindly |generously |graciously )?(?:hosting|housing|accommodating) (?:our|my|the|this) (?:\w+ )?(?:shoot|filming|crew|team|stay|event|trip)\b",
        r"\bfor (?:opening (?:up )?(?:their|your|its) doors|the (?:loan|use) of (?:the|their|your|this|a|an))\b",
        rf"\bna {_LENT_SR}\w{{1,3}}\b(?: \w+)?",
        rf"\bza {_LENT_SR}\w{{1,3}}\b(?: \w+)?",
        r"\b(?:koj[iae]|što)(?: (?:nam|mi))? (?:je|su)(?: (?:nam|mi))? (?:ustupi|pozajmi|posudi|pokloni|posla|obezbedi|osigura)l[aeio]\b",
        rf"(?<![а-яё])за предоставленн\w{{2,3}} (?:\w+ )?{_THING_RU}",
        rf"(?<![а-яё])за предоставление (?:\w+ )?{_THING_RU}",
        r"\bfor (?:ud)?lån(?:et)? a[fv]\b",
        r"\b(?:auton|pyörän|tilan|tilojen|laitteen|laitteiden|varusteiden|vaatteiden|veneen) (?:lainasta|lainaamisesta|lainaamisista)\b",
        r"\bγια (?:την παραχώρηση|τη διάθεση|τον δανεισμό|τη φιλοξενία)\b",
        r"\bpentru (?:[^\W\d_]+ ){0,2}(?:pus[ăe]? la dispozi[tț]ie|împrumutat\w{0,2}|punerea la dispozi[tț]ie|împrumutul)(?!\w)",
        r"(?<![а-яіїє])за надан(?:ня|ий|у|е|і)(?![а-яіїє])",
        r"(?:على|ل) ?(?:توفير|إعارة|اعارة|استضافت\w{0,3})",
        r"\bза уступљен\w{1,3}\b",
    ),
)
"""Who is thanked for what the thanks themselves name."""

THING: Final = re.compile(
    rf"\b{_THING_EN}\b|\b{_THING_DE}\b|(?<![а-яё]){_THING_RU}"
    r"|\b(?:shoot|filming|crew|doors|keys?)\b|\b(?:lokacij|oprem|automobil|vozil|prostor|odeć|odjeć|garderob)\w{1,2}\b"
    r"|\b(?:çadır|ürün|mekan|mekân|araç|araba|kıyafet|ekipman|konaklama)\w*|장소|의상|협찬|장비|소품"
)
"""Things that companies supply, in the words of the statements above."""

FIRM: Final = re.compile(
    rf"(?:\b(?:{_FIRM_ES}|{_FIRM_PT}) que |\b{_FIRM_SR}\b"
    r"|(?<![а-яё])(?:компани|магазин|салон|автосалон|фирм|студи|клуб|отел|ресторан|бренд)\w*)"
)
"""Words that say that who gave something is a company."""

FIRM_BESIDE: Final = re.compile(
    r"\b(?:by|from) (?:the )?(?:brand|company|manufacturer|maker|store|shop)\b|\b(?:par|de) la (?:marque|société|boutique)\b|\bpor (?:la )?(?:marca|empresa|tienda|firma)\b"
    r"|\b(?:pela|da) (?:marca|empresa|loja)\b|\bdall(?:a|') ?(?:azienda|ditta|marca)\b|\bvo[nm] (?:der|dem) (?:firma|hersteller|händler)\b|\b(?:van|door) (?:de firma|het merk|de winkel)\b"
    r"|\b(?:od|przez) (?:firm\w|mark\w|sklepu?|producenta)\b|\b(?:wypożyczalnia|hurtownia|firma|sklep|marka|producent)\b|\bod (?:firmy|značky|výrobce)\b|\b(?:nhãn hàng|thương hiệu|công ty)\b"
)
"""Words right beside a statement that say that who gave something is a company."""

FREE_OF_CHARGE: Final = re.compile(
    r"\b(?:free of charge|for free|at no (?:cost|charge)|complimentary|gratis|kostenlos|kostenfrei|unentgeltlich|leihweise|freundlicherweise|gentilmente|gentiment|kindly|generously|graciously|gratuitement|gracieusement|gratuit\w{0,5}|bezpłatnie|nieodpłatnie|za darmo"
    r"|zdarma|bezplatně|ücretsiz|miễn phí|free (?:mein|me))\b|(?<![а-яё])бесплатно|무료|무상|免费|免費|無償|無料|ฟรี|مجانا"
)
"""What companies give so, and friends too, but nobody says it of them."""

CAPITAL_ARTICLE: Final = re.compile(r"(?:Le|La|Les|L'|El|Los|Las|Il|Lo) ?(?=[A-ZÀ-Þ])")
"""An article that a name begins with, which no person's has behind "by" or a label."""

CAPITAL_ARTICLE_BEFORE: Final = re.compile(
    r"\b(?:by|from|at|par|chez|da|dal|por|pela|pelo|von|bei|van|bij) (?:The|Le|La|Les|L'|El|Los|Il|Das|Die|De) $"
)
"""Before a name: its own article."""

KIT_LABEL: Final = re.compile(r"[^\w\n]{0,6}[^\W\d_][^\n:|()\[\]]{1,30}\s?(?:: | [-–] )")
"""What an entry of a list of equipment is: "Tent: ", "Tent - "."""

OWN_COLLECTION: Final = re.compile(
    r"\b(?:collections?|collab|merch\w*|drop|capsule|limited edition|kollektion|colecci[oó]n|cole[cç][aã]o|collezione|remix|official video|clip officiel|feat|ft|song|album|single)\b"
)
"""Words of a pair of names that is a thing both sell, or a song."""

BUSINESS: Final = re.compile(rf"{_FIRM_ES}|{_FIRM_PT}|{_FIRM_SR}")
"""Words for businesses that are no names alone."""

NAMED_COMPANY: Final = re.compile(
    r"(?<![а-яё])(?:(?:авто)?салон\w{0,2}|компани\w{1,2}|магазин\w{0,2}|фирм\w|отел\w{1,2}|ресторан\w{0,2}|клуб\w{0,2}|шоурум\w{0,2}|студи\w|автоцентр\w{0,2}|мастерск\w{2,3})"
    r" (?P<name>(?!котор|за\b|и\b)[а-яёa-z][\w\-]+(?: (?!за\b)[а-яёa-z][\w\-]+){0,2})\s*$"
)
"""Read before a statement: a company's name in small letters behind the word for its business."""

"""Words that tell that a phrase, an offer or a link is no sponsorship of an outside brand."""

import re
from typing import Final

_NEGATIONS: Final = (
    r"not|isn't|wasn't|aren't|weren't|never|nicht|nie|kein\w*|pas|aucun\w*|no|non|não|nao|nunca|jamais|niet|geen|nooit|inte|aldrig|ikke|aldri|ei ole|není|nebyl\w*|nejsou"
    r"|nu (?:este|e|a fost|sunt)|не|ні|нет|bukan|tidak|nggak|(?<!in )hindi|değil|không|chưa|nahi|nahin|nem|δεν|אינו|אינה|לא|ليس|ليست|غير|لم"
)
"""Words that negate what follows in a sentence; left out are those that another language thanks or dates with."""

_BUT: Final = (
    r"but|maar|sondern|aber|mais|sino|pero|mas|porém|ma|bensì|men|ale|lecz|но|а|tapi|ama|hanem"
)
"""Words behind which a sentence says what is so, in the place of what is not."""

NEGATED: Final = re.compile(
    rf"\b(?:{_NEGATIONS}|nor|neither|without|sin|sem|senza)[ \-]+(?:(?!(?:{_BUT}) )\w+ ){{0,3}}$|\bun-$|(?<!avec )(?<!con )\bun $"
    r"|\b(?:no part|none|nothing|kein teil|aucune partie|ninguna parte|nenhuma parte|nessuna parte) (?:\w+ ){1,6}$"
    r"|(?:不是|并非|並非|没有|沒有|非)[^。.!?！？\n]{0,20}$|ไม่(?:ได้|ใช่)?[^\s]{0,16}$|नहीं (?:\w+ ){0,3}$"
    r"|n't (?:\w+ ){0,3}$"
)
"""Read on what stands before a disclosure: it is denied."""

ELSEWHERE: Final = re.compile(
    r"\bif (?:\w+ ){1,4}$|\bwho(?:'s| is| are| was| were| gets?| got| has been) (?:also |being |currently )?$|\b(?:imagine|pretend|whoever|wish|hope)\b(?: [\w']+){0,5} $|\bwhich (?:is|are|was) $|\bwhat (?:\w+ ){0,3}$|\blast (?:week|month|year|time)(?:'s)? (?:\w+ ){0,3}$|\b(?:kits?|teams?|jerseys?|shirts?|league|club|players?) (?:is |are )?$"
    r"|\b(?:back )?in (?:the )?(?:early |late |mid-?)?(?:1[89]\d\d|20[01]\d|(?:fif|six|seven|eigh|nine)ties)(?:'?s)?\b[^.!?\n]{0,60} (?:was|were|got|is|are) $|@[\w.]+ (?:was|is|got) $"
)
"""Read on what stands before a disclosure: it is of another video, of somebody else, or a wish."""

NEITHER: Final = re.compile(
    r"\b(?:weder\b[^.!?:;\n]{1,60}\bnoch|ni\b[^.!?:;\n]{1,60}\bni)\b[^.!?:;\n]{0,40}$"
    r"|^\W*(?:nobody|no one|niemand|keiner|personne|nadie|nessuno|ninguém|никто)\b(?![^.!?\n]*\b(?:except|but|like|than|außer|wie|als|sauf|comme|excepto|salvo|como|tranne|come|кроме|как)\b)[^.!?:;\n]{0,60}$"
)
"""Read on the sentence before a disclosure: it says it of nobody."""

NEGATED_INSIDE: Final = re.compile(
    rf"\b(?:{_NEGATIONS})\b(?!(?: \w+){{1,4}},? (?:{_BUT})\b)|ไม่|नहीं|不是|并非|並非"
)
"""Read on a disclosure itself, some of which span words between; "not this but that" says that."""

NEGATED_BEHIND: Final = re.compile(
    r"지 ?않|edilmemi|değil|नहीं|(?:가|는|이) 아닙|(?:가|는|이) 아니|ではありません|ではない|^はありません|^はない|不是|并非|並非|含まれてい?ません|受けていません"
)
"""Read on what stands behind a disclosure, in languages that negate there."""

_NOT_SPONSORED: Final = re.compile(
    r"\b(?:(?:not|n't|never) (?:\w+ ){0,2}sponsored|no(?:t a)? sponsor(?:s|ed|ship)?\b|non[ -]sponsor|unsponsored"
    r"|nicht (?:gesponsert|bezahlt)|keine (?:bezahlte )?werbung|unbezahlte werbung|no (?:es|está|fue) patrocin"
    r"|não (?:é|foi) (?:patrocin|publi)|pas sponsoris)"
    r"|не реклама|광고[^.\n]{0,12}(?:포함하지 ?않|아닙|아니)"
    r"|(?:広告|案件|pr|提供|スポンサー|タイアップ|プロモーション)(?:動画|案件)?では(?:ありません|ない)"
    r"|(?:广告|廣告|赞助|贊助)(?:视频|影片)?(?:不是|没有|沒有)"
    r"|(?:不是|并非|並非|非|没有|沒有)(?:广告|廣告|赞助|贊助|业配|業配)"
)
_NOT_SPONSORED_STEMS: Final = (
    "spons", "sponz", "спонс", "támogat", "प्रायोजित", "bezahlt", "werbung", "patrocin", "publi", "реклама", "광고", "ではありません", "ではない",
    "广告", "廣告", "赞助", "贊助", "业配", "業配",
)  # fmt: skip
"""Words of which each match of the pattern holds one: it is slow, and most texts have none of them."""


def says_not_sponsored(lowered: str) -> bool:
    """Return whether a text says that nobody sponsored it."""
    return may_say_not_sponsored(lowered) and _NOT_SPONSORED.search(lowered) is not None


_DENIED: Final = re.compile(
    rf"(?:\b(?:{_NEGATIONS}|neither)|n't) (?:\w+ ){{0,3}}(?:sponsor|sponz|спонс|patrocin|támogat|affiliat)"
    r"|(?:sponsor\w*|प्रायोजित) (?:नहीं|(?:nahi|nahin|değil)\b)|sponsert (?:\w+ ){0,2}nicht\b"
)


def denies_sponsor(words: str) -> bool:
    """Return whether the words beside a link say that nobody sponsored what they are about, in any way."""
    return may_say_not_sponsored(words) and (
        _NOT_SPONSORED.search(words) is not None or _DENIED.search(words) is not None
    )


def may_say_not_sponsored(lowered: str) -> bool:
    """Return whether a text has one of the words that saying so takes."""
    return any(stem in lowered for stem in _NOT_SPONSORED_STEMS)


CONTACT: Final = re.compile(
    r"\b(?:(?:want|would like|like|wish|interested in|looking|wanna|how|seek\w*|discuss\w*)(?: \w+){0,4} (?:sponsor\w*|partner\w*|collab\w*|advertis\w*|brand)"
    r"|for (?:(?!the |their |this )\w+ ){0,3}(?:sponsorships?|partnerships?|collaborations?|collabs|advertis\w*)\b"
    r"|become (?:a|our|my) (?:sponsor|partner|member|patron)|sponsor (?:a|this|the|our|my|us|me|an?) "
    r"|(?:inquir|enquir|anfragen|contac|contat|kontakt|сотруднич|booking(?!\.com\b)|e-?mail(?:s|:| me| us| at| -)|@gmail)"
    r"|devien[st] |devenir|стать спонсор|стан\w* (?:нашим )?спонсор|spons?or werden|membre|conviértete"
    r"|seja (?:um |nosso )|sponsor(?:ship)?s? ?(?:opportunit|request|deck)|sponsor ol|hire me"
    r"|work with (?:me|us)\b|press:)"
    r"|(?<!за )\bспонсорство\b|お問い合わせ|문의"
)
"""Lines that ask for sponsors or offer membership."""

FANS: Final = re.compile(
    r"\b(?:patreon|ko-?fi|github|boosty|twitch|youtube|tipeee) (?:supporters?|backers?|members?|sponsors?|subscribers?|subs|community|fans)\b"
    r"|\b(?:on|via|through|auf|über|sur|en|no|på|op|su|na|на) (?:patreon|ko-?fi|github|boosty|tipeee|buy ?me ?a ?coffee|steady|apoia\.?se|catarse)\b|\bpatrons\b|\bmécènes\b"
)
"""Words by which people who give money, and no companies, are thanked."""

FANS_OF_MONTH: Final = re.compile(
    r"\b(?:apoiador\w*|apoiantes?|mecenas|mécènes?|supporters?|donors?|unterstützer\w*|donatori|sostenitori|wspierając\w+|destekçi\w*) (?:(?:d[oe]|of the|del?|des|du|this|dieses) )?(?:m[êe]s|month|mes|mois|mese|monats|ay)\b"
    r"|\b(?:níve(?:l|is)|tiers?|levels?|nivel|niveau|уров(?:ень|ня)|рівень|livello|stufe) [\"']"
)
"""A heading of supporters by the month or by their level."""

OWN: Final = re.compile(
    r"\bmerch(?:andise|andising|store|shop)?\b|\b(?:my(?! local)|our(?! local)|mein|meine|meinem|unser|unsere|unserem|eigene[rnm]?|mon|ma|notre|mes|nos"
    r"|mi|mis|nuestr[ao]|meu|minha|nosso|nossa|meus|il mio|la mia|мой|моя|моём|наш|наша|мои)(?: \w+){0,3} "
    r"(?:company|business|startup|start-up|brewery|bakery|firma|unternehmen|entreprise|empresa|компани[яию]|фирм[аыу]|shop|store|book|books|buch|bücher|course|courses|kurs|kurse|patreon|channel|kanal|cha[iî]ne|album|single|ep|tour|podcast|newsletter|academy"
    r"|marke|brand|app|game|clothing|apparel|line|collection|presets?|e-?book|livre|boutique|marque|programmes?|coaching"
    r"|tienda|loja|curso|cursos|libro|livro|canal|магазин|мерч|бренд|курс|книг\w*|канал\w*|music|song|songs|website|site|webshop|fanshop|onlineshop|perfume|fragrance|gym|studio|restaurant|café|salon|novel|cookbook|class)\b"
    r"|\bpatreon\b|\bchannel member|\bi(?:'ve| have)? (?:wrote|written|published|released|launched|founded|started) (?:a|my|this|another) (?:\w+ ){0,2}(?:book|novel|cookbook|memoir|e-?book|brand|company|label|perfume|fragrance|app|game|course)\b|\b(?:channel|youtube|my|our) memberships?\b|\bpatrons?\b|\btwitch prime\b|\bмерч\b|\bfanshop\b|\bt-?shirts?\b|\bhoodies?\b|\bshop our\b"
)
"""The creator's own things."""

SUPPLIED_MATERIAL: Final = re.compile(
    r"\b(?:music|song|songs|track|tracks|beat|beats|audio|sound|sounds|sfx|soundtrack|lyrics|footage|clips?|images?|photos?|photography"
    r"|pictures?|video|videos|subtitles?|captions?|captioning|translation|stills|stock|graphics|information|content|materials?|musik|musique"
    r"|música|catering|lights?|lighting|grip|location|make-?up|hair|vfx|transport\w*|security|studio|distribution|distributed"
    r"|licen[sc]ed?|vocals?|animation|voice|data|stats|score|samples? pack|instrumental|background|license|remix|artwork|services?|support|props|bgm|im[áa]genes|imagens|immagini|bilder|archivaufnahmen|archivmaterial|archivo|arquivo|archivio|zdjęcia|kuvat)\b|음악|브금|音楽|曲"
)
"""Objects that film and music credits name as provided."""

IN_THE_VIDEO: Final = re.compile(
    r"\b(?:in|for|during|throughout|im|in|für|dans|pour|en|para|per|nel|neste|nesse|no|voor|w|do|ve|trong|dalam|di|untuk|sa)"
    r" (?:(?:this|the|my|our|today'?s|dies\w+|das|cette|la|ce|le|este|esta|el|questo|il|deze|dit|de|tym|tego|ini) )?(?:video|videos|vid[ée]o|vídeo|clip|filmu?)\b"
)
"""Says where a thing is seen or what it is for: no video was supplied."""

_FOOTAGE: Final = (
    r"footage|clips?|videos?|images?|photos?|photographs?|pictures?|shots|recordings?|music|songs?|tracks?|audio|sounds?|artwork|maps?|data|research|quotes?|stor(?:y|ies)"
    r"|interviews?|words|name|likeness|material|materials"
)

THANKED_FOR_FOOTAGE: Final = re.compile(
    rf"(?: (?:to )?(?:use|using|share|sharing|show|include|feature|borrow|reproduce|with|me|us)){{0,4}}(?: of)?(?: (?:the|their|this|these|his|her|your|some|all|of|an?|that)){{0,3}}"
    rf"(?: [\w\-]+){{0,2}} (?:{_FOOTAGE})\b"
    r"|(?:[^.\n]{0,16} )?(?:видео|кадр\w{1,3}|фото\w{0,8}|съ[её]мк\w{0,3}|материал\w{0,2} съ)(?![а-яё])"
    r"|(?:[^.\n]{0,16} )?(?:vidéos?|images|musique|vídeos?|imágenes|imagens|fotos?|filmaufnahmen|bilder|aufnahmen|musik|immagini|filmati)\b"
)
"""Read right behind thanks for a product: it was footage, pictures or music."""

NOT_CREDITED: Final = r"(?<![材曲楽源像真報画音訳幕])(?<!bgm)(?<!イラスト)(?<!データ)"
"""Stands before 提供: no material, music, sound, picture, information, translation or subtitles, which credits name."""

CREDITS: Final = re.compile(
    r"\b(?:directed|director|produced|producer|production|composed|composer|starring|cast|dop|choreograph\w*|cinematograph\w*"
    r"|edited|editor|label|distribut\w*|written by|lyrics|feat\.?|singer|vocals|mixed|mastered|photograph\w*|stylist|executive"
    r"|digital partner|online promotion|media partner|music partner|radio partner|travel partner|℗|©)\b"
)
"""Credits of films, shows and music."""

CHARITY: Final = re.compile(
    r"\bcharit(?:y|ies|able)\b|\bdonat\w+|\bfundrais\w*|\bnon-?profit\b|\bfoundation\b|\bspenden\b|\bunicef\b|\bngo\b"
    r"|\bсбор средств\b|\bblood drive\b|\bdon(?:s|ation)\b|\brelief fund\b"
)

STATE: Final = re.compile(
    r"\b(?:state|government|foreign|russia\w*|china|iran|kremlin|tax\w*)[\- ]sponsored\b|\bsponsored (?:child|kids?|terror|legislation|bill)"
)

PUBLIC_BODY: Final = re.compile(
    r"\b(?:senator|congress(?:man|woman)|representative \w+|deputy \w+|mp \w+|foundation|ministry|minister|government|council|federation|university|college|school|embassy|consulate|national park|arts fund|lottery|commission|institute of|tourism (?:board|office)"
    r"|visit [a-z]+|department|museum|library|parliament|european union|unesco|ministerium|bundesministerium|stiftung|bundesamt|landes\w+|stadt|gemeinde|filmförderung|förderverein|universität"
    r"|ministère|fondation|fonds|mairie|ville de|conseil (?:régional|départemental|général)|région|département|cnc|université|office de tourisme|union européenne|préfecture"
    r"|ministerio|fundaci[oó]n|ayuntamiento|gobierno|junta de|diputaci[oó]n|universidad|turismo de|comunidad de|minist[eé]rio|funda[cç][aã]o|prefeitura|governo|secretaria|lei (?:rouanet|de incentivo|aldir|paulo)|universidade|comit[eê]"
    r"|ministero|fondazione|comune di|regione|universit[aà]|ministerie|stichting|gemeente|provincie|universiteit|ministerstw\w+|fundacj\w+|urz[aą]d|urzędu|gmin\w+|miasta|miasto|samorząd\w*|uniwersytet\w*"
    r"|ministerstv\w+|nadac\w+|město|krajsk\w+|bakanl[ıi][gğ]\w*|belediye\w*|vakf\w*|valili\w+|üniversite\w*|kementerian|pemerintah|yayasan|dinas|bộ|ubnd|ủy ban|trường|sở"
    r"|stiftelse\w*|kommun|regionen|universitet\w*|statens)\b"
    r"|министерств|фонд(?:а|у|ом)?\b|президентск|администраци|правительств|университет|институт развития|департамент|росмолод|міністерств|фонду"
    r"|재단|진흥원|정보통신부|교육부|문화부|관광공사|시청|교육청|대학교|정부|공단|위원회|財団|文化庁|観光協会|観光局|市役所|大学|県庁|基金会|基金會|文化部|教育部|政府|旅遊局|旅游局|大学|大學|文化局"
    r"|وزارة|مؤسسة|جامعة|बमंत्रालय|सरकार|กระทรวง|มหาวิทยาลัย|การท่องเที่ยว"
)
"""Names of public bodies, foundations and schools: their grants are no sponsorship of a company."""

OWN_GOODS: Final = re.compile(
    r"\b(?:my|our) (?:\w+ ){0,2}(?:luts?|presets?|prints?|patterns?|plans?|templates?|guides?|recipes?|tees?|zines?|stickers?|pdfs?|plugins?|packs?|workshops?|classes|class|e-?shop|etsy|lessons?|cookbook|bundle)\b"
    r"|\b(?:bei mir|bei uns) im (?:shop|laden|store)\b|\bin (?:meinem|unserem) (?:\w+ )?(?:shop|laden|store)\b|\bmein(?:e|en|em)? (?:\w+ ){0,1}(?:backmischung\w*|online-?kurs|workshop\w*|presets?|poster|\w{0,12}kalender)\b"
    r"|\b(?:kelas|kursus|buku|produk|toko|olshop|e-?book) (?:\w+ ){0,2}(?:saya|aku|gue|kami|kita)\b|\b(?:shop|khóa học|sách|cửa hàng|quán|tiệm)(?: \w+)? (?:của )?(?:mình|tớ|nhà mình|tụi mình)\b"
    r"|\b(?:kursum|kitabım|mağazam|eğitimim|dükkanım)\w*|\b(?:m[oó]j|moja|moje|mojego|moim|naszym|nasz) (?:\w+ )?(?:kurs\w*|sklep\w*|książk\w*|e-?book\w*|merch\w*)"
    r"|\b(?:mijn|onze|eigen) (?:\w+ )?(?:winkel|webshop|webwinkel|boek\w*|cursus\w*|shop|kookboek|merk|collectie|kledinglijn)\b|\beigene[rnms]? (?:marke|shop|laden|onlineshop|kollektion|buch|kurs)\b|\b(?:own|my) (?:brand|shop|store|webshop|merch)\b|\bmarca (?:propia|própria)\b|\b(?:tienda|loja|marca) (?:propia|própria|mía|minha)\b|\b(?:propre|notre propre) (?:marque|boutique)\b|\b(?:nostro|mio) (?:marchio|brand)\b|\bwłasn(?:a|ą|ej|y|ym) (?:mark\w+|sklep\w*|książk\w*)|\bvlastní (?:značk\w+|e-?shop\w*)|\b(?:egen|eget|egna) (?:butik|webbutik|märke|merke|mærke|shop)\b|\b(?:jualan|produk|brand) sendiri\b|\bkendi (?:dükkan|marka|mağaza)\w*|(?<![а-яё])(?:собственн\w+|свой|своя|своего) (?:бренд\w*|магазин\w*|марк\w+)|(?:हमारी|मेरी|अपनी) (?:\S+ )?(?:दुकान|टी-शर्ट|किताब)|เสื้อของ(?:ช่อง|เรา)|自社ブランド|自分のブランド|\b(?:můj|mém|našem|náš) (?:kurz\w*|e-?shop\w*|knih\w*)|\b(?:min|mitt|vår) (?:bok|kurs|butik|shop|webbshop|kollektion)\b"
    r"|\b(?:mio|miei|nostro|nostra) (?:corso|corsi|libro|negozio|shop|e-?book)\b|\b(?:mera|mere|meri|apna|hamara|humara) (?:\w+ )?(?:course|book|store|batch|ebook)\b|\b(?:shop|libro|course|negosyo) (?:ko|namin|natin)\b"
    r"|(?:คอร์ส|ร้าน|สินค้า|หนังสือ)[^\s]{0,12}ของ(?:ผม|เรา|ฉัน|หนู|พี่)|متجري|متجرنا|كورسي|كتابي|دورتي|دوراتي|बुक मेरी|मेरा कोर्स|मेरे कोर्स|मेरी किताब"
    r"|(?:私|僕|俺|自分|当店|うち)の(?:ショップ|講座|本|サロン|店|グッズ)|オンラインサロン|公式グッズ|(?:제|저의|저희|우리) (?:\S{1,6} )?(?:강의|책|스토어|쇼핑몰|굿즈|브랜드|가게|클래스|전자책)|자체 ?제작|(?:我的|我們的|我们的|自家)(?:课程|課程|店|書|书|商店|淘宝|賣場|卖场|周邊|周边|品牌)"
    r"|(?<![а-яё])(?:мой|моём|моем|моего|наш|нашем|моя|мои) (?:\w+ )?(?:магазин\w*|курс\w*|мерч\w*|книг\w*|гайд\w*|марафон\w*|школ\w*)"
)
"""The creator's own shop, courses and things, in further languages."""

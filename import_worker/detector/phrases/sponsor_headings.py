"""Headings of a list of sponsors, by language: nouns that are the heading of a line, and sentences that end in a colon."""

from typing import Final

from import_worker.detector.phrases.exclusions import NOT_CREDITED

SPONSOR_NOUNS: Final = (
    # English
    r"(?:sponsor|partner|affiliate|collaborator)s?|sponsorships?|pro ?staff|support (?:crew|squad)|ambassadorships?",
    # Spanish, Portuguese
    r"(?:patrocinador|colaborador|auspiciador|apoiador|parceir|apoiante|aliad)(?:[oa]s?|es|as)?|auspiciantes?|auspiciador(?:es)?|socios"
    r"|patroc[ií]nios?|oferecimento|apoios?|marcas (?:amigas|parceiras|aliadas|colaboradoras)",
    # French
    r"partenaires?|commanditaires?|mécènes|partenariats?|équipementiers?",
    # German, Dutch
    r"(?:werbe|kooperations|haupt|material|technik|medien)?partner(?:n|innen)?|sponsoren|förderer|ausrüster|ausstatter|geldgeber",
    # Italian, Romanian
    r"sponsorizzazioni|partnerships?|sponsori[il]?|parteneri[il]?",
    # Polish, Czech, Slovak, Hungarian
    r"sponsorzy|partnerzy|sponsor(?:em|ami)|partner(?:em|ami)|sponzo[rř]i|partne[rř]i"
    r"|támogató(?:k|ink|im)|szponzor(?:ok|aink|aim|unk|om)|partner(?:ek|eink|eim)",
    # Serbian, Croatian, Slovene
    r"sponzorji|partnerji|pokrovitelji?",
    # Scandinavian, Finnish, Baltic
    r"sponsorer(?:na|ne)?|(?:samarbets|samarbeids|samarbejds)partner(?:s|e|na|ne)?|partnere|sponsorit|yhteistyökumppani(?:t|ni|mme)?"
    r"|toetajad|atbalstītāji|rėmėjai|partneriai",
    # Turkish, Indonesian, Malay, Vietnamese
    r"sponsor(?:lar|larımız|larım|umuz|um)|(?:iş|çözüm) ortakları(?:mız|m)?"
    r"|penaja|mitra|rakan (?:strategik|niaga)|nhà tài trợ|đơn vị (?:tài trợ|đồng hành)|đối tác",
    # Russian, Ukrainian, Bulgarian, Serbian
    r"партн[её]р(?:ы|и|і|ів|ов|ам|у|ом)?|партнерство|спонсор(?:ы|и|і|ів|ов|ам)?|партньори|покровители|покровитељи",
    # Greek
    r"χορηγοί|χορηγοι|χορηγός|συνεργάτες",
)
"""Nouns for who sponsors, each with its forms."""

SPONSOR_OWNERS: Final = (
    r"my|our|the|channel|video|official|main|proud|other|additional|current|this|these|today'?s|season|team|show|and|all|awesome|amazing|lovely|great"
    r"|mes|nos|mon|notre|les|tous|meine[nr]?|unsere[nr]?|die|alle|der|nossos?|nossas?|meus?|minhas?|os|as|nuestr[oa]s?|mis?|los|las|grandes|il|i|gli|miei|nostri"
    r"|moi|nasi|mo[ij]i|naš[ie]|naši|mina|våra|mine|våre|vores|onze|mijn|bu|bölümün|videonun|kanalın|para|kami|kita|mga|aming"
    r"|наши|мои|наші|мої|нашите|наш|мой|технический|генеральный|главный|главные|официальный|официальные|информационный|οι|μας"
)
"""Words before the noun."""

_SUPPORT: Final = r"(?:keep|make|made|help|support|back|sponsor|power|fund|stand|put|pay|feed|fuel|equip|believe|got|have|let)\w*"
SPONSOR_SENTENCES: Final = (
    # English
    r"\b(?:powered|supported|sponsored|backed|funded|brought to you|made possible|fuell?ed|equipped|kept (?:alive|afloat|running|going|moving)|gifted|supplied|sent)"
    r"(?: (?:in part|today|to you|proudly|kindly))? by(?: (?:these|the following|our|my|some|all)(?: \w+){0,4})?",
    rf"\b(?:companies|brands|businesses|firms|sponsors|partners|folks|people|teams?|shops|legends|heroes|crews?) (?:who|that|which)(?: also)? {_SUPPORT}(?: [\w']+){{0,7}}",
    rf"\b(?:these|the following) (?:\w+ )?(?:companies|brands|businesses|firms|sponsors|partners|folks|shops|legends)(?: also)? {_SUPPORT}(?: [\w']+){{0,7}}(?: -)?",
    r"\bwithout (?:these|the following)(?: [\w']+){1,5}",
    r"\b(?:thanks to|thank you to|shout ?outs? to|cheers to) (?:these|the following|our|my|all(?: of)?)(?: [\w']+){0,3} (?:sponsors|partners|companies|brands|businesses|shops)(?: [\w']+){0,5}",
    r"\bproud(?:ly)? (?:to \w+ )?(?:\w+ ){0,2}(?:with|using|alongside|representing)",
    r"\bwho sent what|\beverything (?:here|in this \w+) (?:was|is) gifted",
    # Spanish, Portuguese
    r"\b(?:apoyad|respaldad|impulsad|patrocinad|apoiad|presentad|apresentad|oferecid)[oa]s? por",
    r"\b(?:gracias|obrigad[oa]) (?:a|aos?|às?)(?: todos| todas)?(?: (?:estas|estos|estes|nuestr[oa]s|noss[oa]s|mis|meus|los|las|os|as))? (?:marcas|empresas|patrocinador\w+|colaborador\w+|parceir\w+|apoiador\w+|tiendas|lojas)(?: \w+){0,4}",
    r"\b(?:marcas|empresas|quienes|quem|lojas|tiendas|negocios) (?:que )?(?:nos |me |le |lo )?(?:apoy|apoi|banc|patrocin|ayud|ajud|hac|faz|sosti|acompañ|acredit|vist|confí|confi)\w*(?: [^\W\d]+){0,5}",
    r"\b(?:patrocinan?|auspician?|patrocinam)(?: [^\W\d_][\w.]*){0,3}",
    r"\b(?:nos|me) (?:apoyan|patrocinan|acompañan|visten|ayudan|apoiam|patrocinam|vestem|ajudam)",
    r"\b(?:con|com) (?:el |o )?(?:apoyo|apoio|soporte|patroc[ií]nio) d[aeo]s?|\bapoio(?: d[aeo]s?)?|\boferecimento(?: d[aeo]s?)?",
    # French
    r"\b(?:soutenu|sponsorisé|propulsé|équipé|habillé|présenté|épaulé)e?s? par|\bavec le soutien d(?:e|es|u)|\bmerci à (?:nos|mes|ces|tous (?:nos|mes)) (?:partenaires|sponsors|marques|entreprises|commanditaires)(?: [\w']+){0,4}",
    r"\b(?:marques|entreprises|boîtes|boutiques|ceux|partenaires|gens) qui(?: [\w']+){1,7}|\bils (?:nous|me|m') ?(?:soutiennent|font confiance|suivent|équipent|accompagnent)",
    r"\bles copains d(?:e|u|es)(?: [\w']+){1,3}",
    # German, Dutch
    r"\b(?:unterstützt|gesponsert|präsentiert|ausgestattet|ermöglicht|gefördert) (?:von|durch)|\bmit (?:freundlicher )?unterstützung (?:von|durch)(?: \w+){0,3}",
    r"\b(?:firmen|marken|unternehmen|leute|betriebe|partner), die(?: \w+){1,7}|\bdanke an (?:unsere|meine|diese|alle) (?:\w+ )?(?:partner|sponsoren|firmen|marken|unternehmen)(?: \w+){0,4}",
    r"\b(?:mede )?(?:dankzij|mogelijk gemaakt door|ondersteund door|gesponsord door|met dank aan|met steun van)(?: (?:onze|mijn|deze)(?: \w+){0,3})?",
    # Italian
    r"\b(?:supportat|sponsorizzat|sostenut|offert|realizzat|presentat)[oaie] da(?:l|lla|i|gli)?|\bcon il (?:supporto|sostegno|contributo) d(?:i|el|ella)|\bin collaborazione con|\bsi ringrazia(?:no)?"
    r"|\b(?:aziende|marchi|brand) che(?: \w+){1,7}",
    # Polish, Czech, Slovak, Hungarian, Romanian
    r"\bwspierają (?:nas|mnie|ekipę|zespół)|\b(?:dzięki|przy) wsparciu|\b(?:firmy|marki), które(?: \w+){1,6}|\bs podporou|\bza podpory"
    r"|\bděkuj(?:i|eme) (?:\w+ )?(?:partnerům|sponzorům)|\ba csatornát támogat\w+|\bsusținut(?:ă|e|i)? de|\bcu sprijinul",
    # Serbian, Scandinavian, Finnish
    r"\buz podršku|\bpodržava(?:ju)?(?: \w+){0,2}|\b(?:stöds|støttes|støttet|stöttas) (?:av|af)|\bmed stö[dt]+e? (?:av|fra|från)|\bta[ck]k till? (?:våra|mina|alla|våre|mine|vores) (?:sponsor\w*|partner\w*|samar\w+)"
    r"|\byhteistyössä|\btukemassa",
    # Turkish, Indonesian, Tagalog, Vietnamese
    r"\bkatkılarıyla|\bdestekleriyle|\b(?:didukung|disponsori|dipersembahkan|ditaja|disupport) (?:penuh )?oleh|\bterima kasih (?:kepada|untuk|buat)(?: para)? (?:sponsor|partner|mitra)(?: \w+){0,3}|\bsalamat sa (?:mga|aming)(?: mga)? (?:sponsors?|partners?)|\bhatid (?:sa inyo )?ng"
    r"|\b(?:được )?tài trợ bởi|\bđồng hành cùng(?: \w+){0,3}",
    # Russian, Ukrainian, Bulgarian, Greek
    r"(?<![а-яёіїє])(?:нас|нам|команду|экипаж|мене) (?:поддерживают|спонсируют|одевают|підтримують)(?: [а-яёіїє]+){0,3}|(?<![а-яёіїє])при (?:поддержке|участии|содействии)(?: [а-яё]+){0,2}"
    r"|(?<![а-яёіїє])за (?:підтримки|сприяння)|(?<![а-яё])с подкрепата на|(?<![а-яёіїє])(?:спасибо|дякуємо|благодарим) (?:нашим |моим |всем )?(?:партн[её]рам|спонсорам)(?: [а-яёіїє]+){0,3}"
    r"|(?<![а-яё])(?:компании|бренды|фирмы|люди|магазины), (?:которые|что|кто|без которых)(?: [а-яё]+){1,7}|με την υποστήριξη",
)
"""Sentences that a list follows behind a colon, an arrow or a line break."""

SPONSOR_WORDS: Final = (
    r"(?:(?:本|当|この)?(?:チャンネル|動画)の)?(?:(?:スポンサー|協賛|パートナー)(?:様|企業|会社|社|店|メーカー|ショップ)?|(?:協力|サポート|支援|応援)(?:企業|会社|メーカー|ショップ)|応援してくださ(?:って)?(?:る|いる)(?:企業|会社))(?:様|の皆様|のみなさま|一覧|リスト)?",
    rf"{NOT_CREDITED}(?<![様ん])提供(?:元|企業)?",
    r"(?:시승차|차량|장소|의상|제품|장비|숙소|소품|음식|식사|촬영지|캠핑카) ?(?:제공|지원|대여)",
    r"(?:장비|제품|의상|차량|메인|공식)? ?협찬(?:사|처|품|업체|브랜드)?|후원(?:사|처|업체|브랜드)|파트너사?|제휴사|(?:도와주신|함께하는) (?:분|곳|업체|브랜드|기업)들?",
    r"(?:本期|独家|獨家|特别|特別)?(?:赞助|贊助)(?:商|单位|單位|品牌|伙伴|夥伴|名单|名單)?|(?:特别|特別)?[鸣鳴]谢|(?:特別)?鳴謝|合作(?:伙伴|夥伴|品牌|厂商|廠商|商家)|(?:支持|協力|协力)(?:厂商|廠商|单位|單位)",
    r"(?:ขอ)?(?:ขอบคุณ)?(?:ผู้สนับสนุน|สปอนเซอร์|พาร์ทเนอร์)(?:หลัก|ของเรา)?|สนับสนุนโดย",
    r"(?:ال)?رعاة(?: القناة| الفيديو)?|شركاؤنا|الشركاء|برعاية|بدعم من|נותני החסות|ספונסרים|בחסות|حامیان|اسپانسر(?:ها)?|प्रायोजक|स्पॉन्सर",
)
"""Nouns and sentences in scripts without capitals."""

"""Words of the entries of a list of sponsors: what joins a code with its name, what ends a name, and who is no company."""

import re
from typing import Final

BULLETS: Final = " -*+•·▪▸►✔✅"
"""Signs and blanks before an entry."""

AFTER_CODE: Final = re.compile(
    r"[\s\"')\]]*(?:\([^()\n]{1,24}\)\s*)?(?:[-:=>→►▶➜➤⇨👉|]+\s*|(?:for|at|on|over at|with|from|sur|chez|avec|pour|bei|auf|für|von|mit|en|para|con|de|na|no|em|w|dla|u|su|per|da|voor|op|bij|hos|på|hos|till|için|для|на|в|у|от|від|di|untuk|tại|cho)\s+)+",
    re.IGNORECASE,
)
"""What stands between a code at the beginning of an entry and the name that it is for."""

ENDS_NAME: Final = re.compile(
    r"\s*(?:\s[-|~=»]+(?=\s|$)|[-=]+>|[-|~=»]+$|[(\[:;,!?*→►▶➜➤⇨👉⟶]|\.(?=\s|$)|\s[\"'](?=\S)|\s/{1,2}\s|\s?@|\n|https?:|[^\w\s.,&'+\-/!?()®™°\"#%$€£](?<![\u0300-\u036f\u0900-\u0e7f]))"
)
"""What ends the name at the beginning of an entry: a dash, an arrow, a bracket, a colon, a comma or a picture."""

STOPS_NAME: Final = re.compile(
    r"(?:^|\s)(?:[-+]?[$€£₹₺¥]?\d[\d.,]*\s?(?:%|€|\$|£|zł|kr|eur\w*|usd|rub|руб\w*|₽|₺|tl|k|rb|ribu|days?|weeks?|months?|tage|jours|días|dias)(?!\w)"
    r"|(?:up to|save|use[sd]?|using|with|w/|via|off|for|code|codes|discount|coupon|promo|who|which|that|because|thanks|is|are|was|were|has|have|gave|sent|gives?|made|makes?|keeps?"
    r"|code promo|avec|pour|qui|jusqu'à|grâce|en|livraison|offert\w*|mit|für|bis|die|der|das|rabatt\w*|gutschein\w*|cupom|cup[oó]n|c[oó]digo|código|con|com|para|hasta|até|desconto|descuento|usa|use"
    r"|codice|sconto|che|per|kod|kodem|z kodem|rabat\w*|dla|z|kode|diskon|dengan|untuk|mã|giảm|koduyla|kodu|kod|indirim\w*|ile|için|промокод\w*|скидк\w*|по|для|код|знижк\w*|korting|met|voor|kortingscode)(?=[\s:,.!?\"']|$))",
    re.IGNORECASE,
)
"""Words and sums that go on about an offer: a name ends before them."""

NO_COMPANY: Final = frozenset(
    """
    mum mom mam mama mamma mami dad papa papà papi pappa mutti vati mamá papá mãe pai grandma grandpa nan nana opa oma wife husband girlfriend boyfriend
    friend friends family familie familia família famille frau mann freundin freund moglie marito mamie papy maman you everyone everybody yourself
    myself me you viewers patrons patron members mama мама папа жена муж семья друзья вы дед бабушка anne baba eşim ailem mama tata żona mąż rodzina
    kids children neighbours neighbors cat dog god coffee caffeine kaffee café luck others more many etc tba tbd soon none nobody and und et y e
    there here they he ils elles ellos loro zij oni они
    driver rider crew chief co-driver mechanic camera editor photo photos filmed music song date location venue address email mail phone tel time next last
    """.split()
)
"""Whom lists name in jest or in thanks, and what lines behind a list are about."""

OF_ANOTHER_KIND: Final = re.compile(
    r"\((?:[^()\n]{0,20}\b)?(?:grants?|scholarship|subsidy|bursary|subventions?|bourse|zuschuss|förderung|beca|subvenci[oó]n|bolsa|subsidie|dotacja|that'?s (?:us|me)|our own|my own|us|me|nous|c'est (?:nous|moi)|das sind wir|wir selbst"
    r"|somos nosotros|nosotros|nós|somos nós|siamo noi|noi|own brand|eigene marke)\b[^()\n]{0,16}\)|\([^()\n]{0,12}(?:ของ(?:ทีม)?เรา|ของผม|제가|저희|自社|自家|грант|субсиди|наш|мы сами)[^()\n]{0,12}\)"
)
"""A note behind a name: its money is a grant, or it is the creator's own."""

PROSE_END: Final = re.compile(
    r"(?:です|ます|した|ました|ません|ください|だよ|ね|세요|니다|어요|아요|해요|에요|예요|했음|ครับ|ค่ะ|了|吧|哦|喔|的|嗎|吗|[てでのはをがにとも、])[\s。.!…~]*$"
)
"""Ends of sentences in scripts without capitals."""

ROLE_LINE: Final = re.compile(
    r"[^\w@]{0,6}(?:lokasi|pakaian|busana|tudung|kasut|aksesori|solekan|kereta|kenderaan|makanan|hotel|penginapan|lokasyon"
    r"|location|venue|clothes|clothing|wardrobe|outfits?|dress(?:es)?|shoes|jewell?ery|accessories|vehicles?|cars?|equipment|gear|food|drinks|accommodation"
    r"|kleidung|outfit|schmuck|schuhe|fahrzeuge?|verpflegung|v[eê]tements|tenues?|chaussures|bijoux|lieu|ropa|vestuario|calzado|joyas|locaci[oó]n|lugar"
    r"|roupas?|figurino|sapatos|joias|loca[cç][aã]o|abbigliamento|vestiti|scarpe|gioielli|kleding|sieraden|locatie|ubrania|buty|biżuteria|lokalizacja"
    r"|одежда|обувь|украшения|локация|площадка|автомобили?|kıyafet|mekan|takı|ayakkabı|araç|trang phục|địa điểm|의상|장소|차량|衣装|場所|車両)"
    r"(?:[ &,/][^\n:@.]{1,40})?\s?:?\s*"
)
"""A line of a list of sponsors that says what those below it gave, and to whom."""

ENDS_LIST: Final = re.compile(
    r"[^\w@]{0,8}(?:(?:insta(?:gram)?|ig|fb|facebook|twitter|tik ?tok|tt|youtube|yt|discord|twitch|snap(?:chat)?|patreon|telegram|whatsapp|threads|linkedin|strava|reddit|soundcloud|spotify|inst|вк|тг|телеграм|инстаграм"
    r"|e-?mail|mail|contact\w*|kontakt|contato|contacto|business|booking|impressum|music|musik|musique|música|musica|muzyka|музыка|bgm|chapters?|timestamps?|timecodes?|kapitel|chapitres|cap[ií]tulos|capitoli|тайм-?код\w*|目次|camera|kamera|cámara|câmera|edit(?:ed|or|ing)?|montage|schnitt"
    r"|follow|subscribe|abonne\w*|suscr\w+|inscreva\w*|iscriv\w*|подпи\w+)\b|\d{1,2}:\d\d)"
)
"""Beginnings of lines that no longer belong to a list of sponsors."""

ENDS_UNBROKEN: Final = re.compile(
    r"(?:instagram|insta|facebook|twitter|tik ?tok|youtube|discord|twitch|snapchat|patreon|telegram|spotify|e-?mail|contact\w*|kontakt|contato|contacto|music|musik|musique|m[úu]sica)\s?[:@►➜-]"
    r"|\bfollow (?:me|us)\b|\bsubscribe\b|[\w.]@\w+\.\w|chapters?:|timestamps?:|\b\d{1,2}:\d\d\b"
)
"""What ends a list where line breaks were lost."""

CODE_NAMES: Final = frozenset(
    """
    referral invite invitation gift bonus creator friend affiliate promo promocode discount coupon voucher code codes cupom cupón cupon código codigo codice
    kod kode rabattcode gutschein gutscheincode promotion reduction sale use my your for parrainage réduction korting kortingscode zniżka rabat
    промокод код скидка купон クーポン コード 割引 쿠폰 코드 할인 할인코드 추천인 추천코드 優惠 折扣 折扣碼 優惠碼 推薦碼 邀请码 邀請碼 written performed produced mixed mastered prod beat
    """.split()
)
"""Words that name a code or a credit, and no company."""

OWN_THINGS: Final = re.compile(
    r"\b(?:e-?books?|presets?|coachings?|courses?|cursos?|kurse?|kurs|formations?|masterclass|newsletter|merch\w*|hoodies?|t-?shirts?|tickets?|gift|giveaway|playlist|patreon|program(?:me?|a|m)?s?|курс\w*|мерч\w*|tournament|lobby|server|serveur|clan|custom)\b"
)
"""Words for what a creator's own code is for."""

CODE_WORD: Final = re.compile(
    r"\bcodes?\b|\bc[oó]dig[oe]\b|\bcodice\b|\bcup[oó]n\b|\bcupom\b|\bcoupon\b|\bkod\w{0,3}\b|\bkode\b|\bmã\b|\bkód\w{0,2}\b|промокод|(?<!\w)код(?!\w)|コード|코드|碼|码|โค้ด|كود|\bvoucher\b|\bgutschein|\brabatt"
)

"""Headings of a list of promo codes and discounts, by language."""

from typing import Final

_NOUNS: Final = (
    r"(?:discount|promo|coupon|creator|affiliate|partner)? ?codes?|discounts?|deals|perks|freebies|savings|offers",
    r"códigos?(?: de descuento| promocionales| de desconto)?|cupones|cupons|cupom|descuentos|descontos|ofertas",
    r"codes?(?: promos?| réducs?| de réduction)?|bons plans|réductions|parrainages?|offres de parrainage|offres",
    r"rabatte?|(?:rabatt|gutschein|spar)codes?|gutscheine|partnerlinks|kortingen|kortingscodes?",
    r"codici(?: sconto)?|sconti|coduri(?: de reducere)?|reduceri",
    r"kody(?: rabatowe| zniżkowe| promocyjne)?|zniżki|rabaty|slev(?:y|ové kódy)|kódy|zľavy|zľavové kódy|kedvezmény(?:ek|kódok)|kuponok|kuponkódok",
    r"rabattkoder|rabatter|alennuskoodi(?:t)?|indirim(?:ler| kodları)?|kodlar(?:ım)?|kode (?:promo|diskon|voucher)|diskon|mã (?:giảm giá|khuyến mãi|ưu đãi)|ưu đãi",
    r"промокоды|промокоди|скидки|знижки|бонусы|κωδικοί|εκπτώσεις",
)
_OWNERS: Final = r"my|our|all|the|current|mes|mis|meus|meine|unsere|nossos|nuestros|i miei|moje|mina|mine|mijn|onze|мои|мої|наши|para|os|los|les"
_SIGN: Final = r"\s{0,2}[^\w\s,.;!?'\"()@#&/+%*-]"

CODES: Final = (
    rf"(?:(?:^|(?<=[^\w\s,.;:!?()\"'@#&/+%*-] )|(?<=[^\w\s,.;:!?()\"'@#&/+%*-]))[^\w\n@#]{{0,12}}(?:(?:{_OWNERS}) ){{0,2}}(?:{'|'.join(_NOUNS)})"
    rf"(?:[ ,/&+]{{1,3}}[^\W_][^\s:]{{0,14}}){{0,3}}(?:{_SIGN}|\s{{0,2}}(?:--?|==?)?\s?\n)"
    r"|(?:クーポン(?:コード)?|割引(?:コード|クーポン)?|お得情報|할인 ?(?:코드|정보)|추천인 ?코드|折[扣價价]?碼|折扣码|優惠碼|优惠码|優惠|折价券|推薦碼|โค้ด(?:ส่วนลด)?|ส่วนลด|أكواد(?: الخصم)?|اكواد(?: الخصم)?|קודי הנחה)\s{0,2}(?:[:▼▽↓⬇👇】\]/|]|\n))"
)

CODE_STEMS: Final = (
    "code", "savings", "perks", "freebies", "offers", "código", "cupones", "cupom", "descuento", "desconto", "ofertas", "réduc", "parrainage", "offres",
    "gutschein", "partnerlinks", "korting", "codici", "sconti", "coduri", "reduceri", "kody", "zniżki", "rabat", "slev", "kódy", "zľav", "kedvezmény",
    "kupon", "alennus", "indirim", "kodlar", "kode ", "diskon", "giảm giá", "khuyến mãi", "ưu đãi", "промокоди", "знижки", "бонусы", "κωδικ", "εκπτώσ",
    "クーポン", "割引", "お得情報", "할인", "추천인", "折扣", "折價", "優惠", "优惠", "折价", "推薦", "โค้ด", "ส่วนลด", "أكواد", "اكواد", "קודי",
)  # fmt: skip
"""Words of which each heading for codes has one."""

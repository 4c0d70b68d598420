"""Headings of a list of promo codes and discounts, by language."""

from typing import Final

CODE_NOUNS: Final = (
    r"(?:discount|promo|coupon|creator|affiliate|partner)? ?codes?|discounts?|deals|perks|freebies|savings|offers",
    r"códigos?(?: de descuento| promocionales| de desconto)?|cupones|cupons|cupom|descuentos|descontos|ofertas",
    r"codes?(?: promos?| réducs?| de réduction)?|bons plans|réductions|parrainages?|offres de parrainage|offres",
    r"rabatte?|(?:rabatt|gutschein|spar)codes?|gutscheine|partnerlinks|kortingen|kortingscodes?",
    r"codici(?: sconto)?|sconti|coduri(?: de reducere)?|reduceri",
    r"kody(?: rabatowe| zniżkowe| promocyjne)?|zniżki|rabaty|slev(?:y|ové kódy)|kódy|zľavy|zľavové kódy|kedvezmény(?:ek|kódok)|kuponok|kuponkódok",
    r"rabattkoder|rabatter|alennuskoodi(?:t)?|indirim(?:ler| kodları)?|kodlar(?:ım)?|kode (?:promo|diskon|voucher)|diskon|mã (?:giảm giá|khuyến mãi|ưu đãi)|ưu đãi",
    r"промокоды|промокоди|скидки|знижки|бонусы|κωδικοί|εκπτώσεις",
)
CODE_OWNERS: Final = r"my|our|all|the|current|mes|mis|meus|meine|unsere|nossos|nuestros|i miei|moje|mina|mine|mijn|onze|мои|мої|наши|para|os|los|les"

CODE_WORDS: Final = (
    r"クーポン(?:コード)?|割引(?:コード|クーポン)?|お得情報|할인 ?(?:코드|정보)|추천인 ?코드|折[扣價价]?碼|折扣码|優惠碼|优惠码|優惠|折价券|推薦碼|โค้ด(?:ส่วนลด)?|ส่วนลด|أكواد(?: الخصم)?|اكواد(?: الخصم)?|קודי הנחה",
)
"""The same in scripts without capitals."""

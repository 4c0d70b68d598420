"""Statements that a company supplied the product."""

import re
from typing import Final

from import_worker.detector.phrases.cue import CueTable

_NO_PLACE: Final = (
    r"(?! ?[가-힣]{2,4} [가-힣a-z]{2,20}(?:\([^)\n]{1,20}\))?(?: ?(?:님|측))? ?(?:감사|고맙))"
)
"""The word that thanks follow is the name, and no district before it."""

AFTER: Final = CueTable(
    slot="after",
    strength="strong",
    kind="free_product",
    reason="product supplied",
    phrases={
        "provided by": (r"\b(?:kindly |generously )?provided by\b",),
        "provided to": (r"\bprovided to (?:me|us) (?:free (?:of charge )?)?by\b",),
        "supplied": (r"\bsupplied (?:to (?:me|us) )?by\b",),
        "gifted": (
            r"\bgifted (?:to (?:me|us) )?by\b",
            r"^\W{0,4}gifted ?[:|] ?(?=[@\"\w])",
        ),
        "sent to": (r"\bsent to (?:me|us) (?:for free |free (?:of charge )?)?(?:by|from)\b",),
        "loaned": (r"\bloaned (?:to (?:me|us) )?(?:by|from)\b",),
        "lent to": (r"\blent to (?:me|us) by\b",),
        "courtesy": (
            r"\b(?:car|bike|truck|vehicle|van|phone|watch|wood|cameras?|clothes|costumes?|outfits?|dress\w*|wardrobe|jewell?ery|shoes|hotel|stay"
            r"|trip|product|gear|board|boat|food) courtesy(?: of\b| ?:)",
        ),
        "cortes": (r"\bcortes[ií]a de\b",),
        "prêté": (r"\bprêté(?:e|s|es)? (?:gracieusement )?par\b",),
        "衣装": (r"衣装(?:提供|協力)? ?[:/|] ?",),
        "提供": (r"(?:商品|製品|機材|車両)提供 ?[:/|] ?",),
        "協力": (r"(?:商品|製品|機材|車両)協力 ?[:/|] ?",),
        "撮影協力": (r"撮影協力 ?[:/|] ?",),
        "협찬": (r"(?:제품|의상|장소) ?협찬 ?[:/|] ?",),
        "제공": (r"(?:제품|의상|장소) ?제공 ?[:/|] ?",),
        "해주신": (rf"(?:협찬|지원|제공|대여)(?:을|를)? ?해주신{_NO_PLACE} ?",),
        "해 주신": (rf"(?:협찬|지원|제공|대여)(?:을|를)? ?해 주신{_NO_PLACE} ?",),
        "offert": (r"\b(?:produits?|robe|cadeaux?|v[eê]tements?) offert(?:e|s|es)? par\b",),
        "zur verfügung": (
            r"\bzur verfügung gestellt (?:von|durch)\b",
            r"\bvon\b(?= [^.\n]{2,40} zur verfügung)",
        ),
        "cedid": (r"\bcedid[oa]s? por\b",),
        "enviad": (r"\benviad[oa]s? (?:por|pela|pelo)\b",),
        "предоставлен": (r"(?<![а-яё])предоставлен\w{0,3} (?:компанией|магазином|брендом)\b",),
    },
)

BEFORE: Final = CueTable(
    slot="before",
    strength="strong",
    kind="free_product",
    reason="thanked for the product",
    phrases={
        "sending": (
            r"\bfor (?:kindly |also )?sending (?:me|us|over|this|the|these|out|in|a|an)\b",
        ),
        "providing": (r"\bfor (?:kindly )?providing\b",),
        "supplying": (r"\bfor supplying\b",),
        "gifting": (r"\bfor gifting\b",),
        "부터": (
            r"(?:으)?로 ?부터 ?(?:[^.\n]{0,16}[을를만] ?)?(?:(?:무상|무료)(?:으로)? ?|제품 ?)?(?:대여|제공|지원|후원|협찬) ?(?:을|받|만)",
        ),
        "에서": (
            r"에서 ?(?:제품|의상|음식|상품|장비|숙소)[을를]? ?(?:무상(?:으로)? ?)?(?:제공|지원|협찬|대여) ?받",
        ),
        "предоставл": (r"(?<![а-яё])за (?:любезно )?предоставлен\w+",),
        "letting": (r"\bfor letting (?:me|us)\b",),
        "loan of": (r"\bfor (?:the |their )loan of\b",),
        "lend": (r"\bfor (?:the lend|lending (?:me|us))\b",),
        "giving": (r"\bfor giving (?:me|us) (?:the|this|these|an?|access)\b",),
        "prêt": (
            r"\bpour (?:le|ce) prêt d",
            r"\bd(?:'|e (?:m'|nous ))avoir (?:gentiment |gracieusement )?prêté",
        ),
        "offert": (r"\bd(?:'|e (?:m'|nous ))avoir (?:gentiment |gracieusement )?offert",),
        "fourni": (r"\bd(?:'|e (?:m'|nous ))avoir (?:gentiment |gracieusement )?fourni",),
        "ouvert": (
            r"\bde (?:m'|nous )avoir (?:gentiment |gracieusement )?ouvert (?:ses|leurs) portes",
        ),
        "invité": (r"\bde (?:m'|nous )avoir (?:gentiment |gracieusement )?invité",),
        "accueill": (r"\bde (?:m'|nous )avoir (?:gentiment |gracieusement )?accueilli",),
        "envo": (
            r"\bpour (?:m'|nous )?(?:avoir )?envoyé\b|\bpour l'envoi d",
            r"\bde (?:m'|nous |me )(?:avoir )?envoy(?:é|er)\b",
        ),
        "ustup": (r"\bna ustupljen\w{1,3}\b", r"\bšto (?:je|su) (?:nam )?ustupil[aeio]\b"),
        "zus": (r"\bfür (?:die zusendung|das zusenden|das zuschicken)\b",),
        "leih": (
            r"\bfür (?:(?:die|das|den|eure|eine|diese) )?(?:\w+ )?(?:leihgabe|leihen|leih-?\w{3,})\b",
        ),
        "enviar": (r"\bpor enviar(?:me|nos)?\b",),
        "envio": (r"\bpel[oa] envio\b",),
        "lending": (r"\bfor lending\b",),
        "loaning": (r"\bfor loaning\b",),
        "sample": (r"\bfor the (?:free |review )?samples?\b",),
        "review unit": (r"\bfor the review units?\b",),
        "product": (r"\bfor the (?:free|review) products?\b",),
        "bereitstell": (r"\bfür die bereitstellung\b|\bfürs bereitstellen\b",),
    },
)

REVIEWED: Final = re.compile(
    r"\breview|\bsample|\bproduct|\bunit\b|\bphone\b|\bdevice|\blaptop|\btablet|\bcar\b|\bfree of charge|\bfor free\b|\btest|\bcopy\b"
    r"|\bprototype|\bpr box|\btruck|\bbike|\bvehicle|\bgear\b|\bequipment|\bheadset|\bheadphones|\bwatch\b|\bcamera|\blens\b|\btool"
    r"|(?<![а-яё])(?:автомобил|машин|товар|продукт|устройств|смартфон|гаджет|оборудован|образ[це]|помещени|стол|одежд|телефон|ноутбук)"
    r"|\b(?:gerät|produkt|fahrzeug|wagen|muster|produit|voiture|appareil|matériel|producto|equipo|coche|carro|produto|aparelho)"
    r"|제품|차량|음식|기기|의상|商品|製品|衣装|機材|車両|产品|產品"
)
"""Objects that companies supply for videos."""

HANDED_OVER: Final = frozenset(
    (
        "sending",
        "supplying",
        "gifting",
        "gifted",
        "sent to",
        "loaned",
        "lent to",
        "loan of",
        "lend",
        "부터",
        "衣装",
        "提供",
    )
)
"""Stems of phrases that say that a thing changed hands."""

FROM_VIEWERS: Final = re.compile(
    r"\b(?:clips?|videos?|footage|photos?|pictures?|links?|info\w*|questions?|songs?|files?|data|letters?|memes?|fan ?art"
    r"|stor(?:y|ies))\b"
)
"""Objects that viewers send."""

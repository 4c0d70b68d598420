"""Words by which a description says that something in the video is advertising.

What has to be said, and how, differs by country (FTC 16 CFR 255, UK CAP Code rule 2.1, German UWG section 5a (4)), so
only the words are recorded, without a judgement on the disclosure.
"""

import re
from typing import Final

_WORDS: Final = frozenset(
    # English
    "ad ads #ad #ads advert adverts advertisement advertisements advertising affiliate affiliated affiliates collab "
    "collaboration collaborations commission commissions endorsed endorsement gifted paid partner partnered partnering "
    "partners partnership partnerships promo promoted promotion promotional promotions sponsor sponsored sponsoring sponsors "
    "sponsorship sponsorships "
    # German, Dutch, Swedish
    "anzeige gesponsert gesponserte gesponsertes kooperation partnerschaft produktplatzierung provision werbepartner werbung "
    "advertentie gesponsord reclame samenwerking annons reklam samarbete sponsrad "
    # French, Spanish, Portuguese, Italian
    "affilié affiliés affiliée affiliation partenaire partenaires partenariat publicité sponsorisé sponsorisée sponsorisés "
    "afiliado afiliados afiliación anuncio colaboración patrocina patrocinada patrocinado patrocinador patrocinadores patrocinio "
    "publicidad anúncio parceira parceiro parceiros parceria patrocínio publi publicidade affiliato affiliazione "
    "collaborazione pubblicità sponsorizzato sponsorizzata sponsorizzazione "
    # Polish, Russian, Ukrainian, Turkish, Indonesian
    "reklama sponsorowane sponsorowany współpraca партнер партнёр партнеры партнёры партнером реклама рекламная спонсор спонсора "
    "спонсором спонсоры спонсорами партнери işbirliği tanıtım disponsori iklan kerjasama "
    # Arabic
    "إعلان برعاية راعي".split()
)
_WRITTEN_TOGETHER: Final = tuple(
    # Japanese, Korean, Chinese, whose words have no spaces between them; Hindi, whose vowels are no letters to `re`
    "案件 タイアップ プロモーション 協賛 広告 提供 スポンサー 광고 협찬 제작지원 스폰서 广告 廣告 赞助 贊助 業配 विज्ञापन प्रायोजित".split()
)
_LINK: Final = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_WORD: Final = re.compile(r"#?\w+")


def disclosure_words(description: str) -> tuple[str, ...]:
    """Return the words of advertising in a description, in lower case, sorted, each once; links are not read."""
    text = _LINK.sub(" ", description).casefold()
    found = set(_WORD.findall(text)) & _WORDS
    return tuple(sorted({*found, *(word for word in _WRITTEN_TOGETHER if word in text)}))

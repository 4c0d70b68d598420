"""Legal forms of companies, which name none of them."""

from typing import Final

_FORMS: Final = frozenset(
    (
        "llc ltd inc corp gmbh plc llp sarl srl pty limited incorporated corporation "
        "ооо оао зао пао ао ип тоо тов 株式会社 有限会社 合同会社 有限公司 股份有限公司 有限责任公司 주식회사 유한회사"
    ).split()
)
_FORMS_WITH_DOTS: Final = frozenset(
    "s.a s.a.s s.a.r.l s.l s.p.a s.r.l s.r.o b.v n.v d.o.o z.o.o".split()
)
"""Without their dots these are names as well."""


def is_alone(words: str) -> bool:
    """Return true if the words are legal forms and nothing else, such as "ООО", "S.A." or "Co. Ltd."."""
    found = [word.strip(".,()\"'«»").lower() for word in words.split()]
    return any(map(_is_form, found)) and all(
        _is_form(word) or word in {"", "co", "company", "the"} for word in found
    )


def _is_form(word: str) -> bool:
    return word in _FORMS_WITH_DOTS or word.replace(".", "") in _FORMS

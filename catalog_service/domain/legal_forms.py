"""Legal forms of companies, which name none of them."""

from typing import Final

_FORMS: Final = frozenset(
    (
        "llc ltd inc corp gmbh plc llp sarl srl pty limited incorporated corporation "
        "ооо оао зао пао ао ип тоо тов 株式会社 有限会社 合同会社 有限公司 股份有限公司 有限责任公司 주식회사 유한회사"
    ).split()
)


def is_alone(words: str) -> bool:
    """Return true if the words are legal forms and nothing else, such as "ООО" or "Co. Ltd."."""
    found = [word.strip(".,()\"'«»").replace(".", "").lower() for word in words.split()]
    return any(word in _FORMS for word in found) and all(
        word in _FORMS or word in {"", "co", "company", "the"} for word in found
    )

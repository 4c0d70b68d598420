"""E-mail addresses as they are stored and compared.

Two addresses are one account only if they are one mailbox. So nothing is folded but case, by the
rules for names of users (RFC 8265), which refuse characters that merely look like others: the
Kelvin sign, the long s, ligatures. What those rules leave apart, as ß and ss, stays apart.
"""

import email_validator
import precis_i18n
from email_validator import EmailNotValidError, validate_email

from servicekit.errors import InvalidInput

# Whether mail reaches .local and .internal is for the operator of this installation to know.
email_validator.SPECIAL_USE_DOMAIN_NAMES.clear()

_USERNAME_PROFILE = precis_i18n.get_profile("UsernameCasePreserved")


def normalised_email(email: str) -> str:
    """Return `email` in the form in which addresses are stored and compared.

    Raises:
        InvalidInput: It is no address.
    """
    address = email.strip()
    name, _, host = address.rpartition("@")
    try:
        is_valid_name = _USERNAME_PROFILE.enforce(name) == name
        found = (
            validate_email(address, check_deliverability=False, strict=True)
            if is_valid_name
            else None
        )
    except (EmailNotValidError, UnicodeError):
        found = None
    if found is None or "." not in host:
        raise InvalidInput(f"{email[:300]!r} is not an e-mail address.", details={"field": "email"})
    return f"{found.local_part.lower()}@{found.domain.lower()}"

"""E-mail addresses as they are stored and compared.

Two addresses belong to one account only if they are one mailbox. So only case is folded, and local
parts must follow the rules for user names (RFC 8265), which refuse look-alike characters such as
the Kelvin sign, the long s and ligatures. Spellings that those rules keep distinct, such as ß and
ss, stay distinct.
"""

import email_validator
import precis_i18n
from email_validator import EmailNotValidError, validate_email

from servicekit.errors import InvalidInput

# An operator may have mail servers under .local or .internal, so these are not refused.
email_validator.SPECIAL_USE_DOMAIN_NAMES.clear()

_USERNAME_PROFILE = precis_i18n.get_profile("UsernameCasePreserved")


def normalised_email(email: str) -> str:
    """Return `email` in the form in which addresses are stored and compared.

    Raises:
        InvalidInput: The text is not an email address.
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
        wrong = (
            f"{email[:300]!r} is not an email address." if address else "Enter an email address."
        )
        raise InvalidInput(wrong, details={"field": "email"})
    return f"{found.local_part.lower()}@{found.domain.lower()}"

"""Find the account that an operator names."""

from auth_service.domain.accounts import Account, AccountNotFound
from auth_service.domain.addresses import normalised_email
from auth_service.domain.organisations.model import ID_PREFIX
from auth_service.domain.ports import Store


def is_organisation_id(name: str) -> bool:
    """Return whether a name is an organisation's id: it has no address."""
    return name.startswith(ID_PREFIX) and "@" not in name


async def account_named(store: Store, name: str) -> Account:
    """Return the account of an address, or of an organisation's id.

    Raises:
        AccountNotFound: There is none.
    """
    cleaned = name.strip()
    address = cleaned if is_organisation_id(cleaned) else normalised_email(cleaned)
    account = await store.account_by_email(address)
    if account is None:
        raise AccountNotFound(f"There is no account of {name}.", details={"field": "email"})
    return account

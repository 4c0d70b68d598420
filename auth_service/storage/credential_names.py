"""What people know a credential by: the name of the key or application, and the member who made it."""

from typing import Any, Final

from sqlalchemy import Select, Subquery, case, func, select

from auth_service.domain import site_credentials
from auth_service.storage.oauth.tables import clients, grants
from auth_service.storage.tables import accounts, api_keys

SITE_NAME: Final = "This site"


def with_names(used: Subquery, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Return a query for name, member and id of the credentials in `used`, and for its `columns`.

    The name is empty when the credential is not known any more, the member when it is of nobody.
    """
    by_site = used.c.credential_id.startswith(site_credentials.PREFIX)
    name = case(
        (by_site, SITE_NAME),
        else_=func.coalesce(
            api_keys.c.name, clients.c.metadata["client_name"].astext, grants.c.client_id, ""
        ),
    ).label("name")
    member = func.coalesce(accounts.c.email, "").label("member")
    return (
        select(name, member, used.c.credential_id, *columns)
        .select_from(used)
        .outerjoin(api_keys, api_keys.c.id == used.c.credential_id)
        .outerjoin(grants, grants.c.grant_id == used.c.credential_id)
        .outerjoin(clients, clients.c.client_id == grants.c.client_id)
        .outerjoin(
            accounts,
            accounts.c.id
            == case(
                (api_keys.c.id.is_not(None), api_keys.c.created_by),
                (by_site, func.split_part(used.c.credential_id, ":", 3)),
                else_=grants.c.member_id,
            ),
        )
    )

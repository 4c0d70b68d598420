"""`sponsorgraph login` and `logout`: a person at a terminal, by a code that they enter in a browser."""

from typing import Annotated, Final

import typer

from cli.commands._service import http_client, logins, service_errors, service_url, session
from cli.commands._shell import err, out
from cli.service.address import identity
from cli.service.device_login import DeviceLogin
from cli.service.discovery import authorization_server

_SCOPES: Final = "catalog:read account:read channels:import offline_access"

Url = Annotated[
    str,
    typer.Option(
        help="Address of the service; by default SPONSORGRAPH_BASE_URL, else your login's, else the stack that runs here.",
        show_default=False,
    ),
]


def login(*, url: Url = "") -> None:
    """Log in to a service, by a code that you enter in a browser on any device.

    The login is stored where you alone can read it, and renews itself. `sponsorgraph logout` ends it.
    """
    with service_errors():
        address, http = identity(service_url(url)), http_client()
        flow = DeviceLogin(http, authorization_server(http, address))
        client_id = flow.registered()
        code = flow.code(client_id, _SCOPES)
        out.print(f"Open {code.complete}", soft_wrap=True)
        out.print(
            f"(or {code.entered_at}) and approve the code {code.user_code} within {code.expires_in / 60:.0f} minutes.",
            soft_wrap=True,
        )
        err.print("Waiting …")
        stored, granted = logins(), flow.tokens(client_id, code)
        with stored.locked():
            stored.put(address, granted)
        out.print(f"You are logged in to {address} ({granted.scope}).", soft_wrap=True)


def logout(*, url: Url = "") -> None:
    """End the login to a service, there and here."""
    with service_errors():
        address = service_url(url)
        ended = session(address, http_client(), api_key="").end()
    text = f"You are logged out of {address}." if ended else f"There was no login to {address}."
    out.print(text, soft_wrap=True)

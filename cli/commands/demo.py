"""`sponsorgraph demo`: something to try on services that run elsewhere."""

import secrets
from dataclasses import replace
from importlib import resources

from cli.commands._shell import (
    catalog_target,
    err,
    operations,
    out,
    readable_errors,
    running_stack,
)
from devstack.clients.operations import OperationsClient
from devstack.home import DEMO_EMAIL, Home
from devstack.settings import RemoteSettings
from servicekit.errors import Conflict
from servicekit.settings import read

_KEY_NAME = "demo"


def demo() -> None:
    """Load the sample catalogue, create the demo account, print its key.

    Again, it leaves the catalogue as it is and puts a new key in the place of the old one.
    """
    from devstack.sample_loader import load, refusal_of_sample  # noqa: PLC0415 - with it comes the detector

    with readable_errors():
        (target, credentials), client = catalog_target(), operations()
        err.print("Loading the sample catalogue")
        with resources.as_file(resources.files("devstack.sample") / "catalog.jsonl.gz") as file:
            loaded = load(target, [file], lambda _: None, credentials)
        err.print(
            f"{loaded.report.created:,} records are new, {loaded.report.unchanged:,} were there."
        )
        if loaded.refused:
            err.print(refusal_of_sample(loaded.refused), style="yellow")
        password, api_key = _account(client), _new_key(client)
        mcp_url, site_url, known_password = _recorded(api_key, password)
        for label, value in (
            ("MCP URL", mcp_url),
            ("Site", site_url),
            ("API key", api_key),
            ("E-mail", DEMO_EMAIL),
            ("Password", known_password or "as at the first time"),
        ):
            if value:
                out.print(f"{label + ':':<10}{value}", soft_wrap=True)
        if not mcp_url:
            err.print("Its URLs are printed where SPONSORGRAPH_BASE_URL is set.")


def _recorded(api_key: str, password: str) -> tuple[str, str, str]:
    """Return the URLs of MCP and site, empty if nothing names them, and the password; a home's own stack keeps key and password."""
    remote = read(RemoteSettings)
    if remote.auth_grpc:
        base_url = remote.base_url
        return f"{base_url}/mcp" if base_url else "", base_url, password
    home: Home = running_stack()[0]
    known = home.connection()
    if known is None:
        return "", "", password  # a start that goes on writes them when it is done
    stored = replace(known, api_key=api_key, password=password or known.password)
    home.write_connection(stored)
    return stored.mcp_url, stored.site_url, stored.password


def _account(client: OperationsClient) -> str:
    """The password of an account that was made now, else nothing."""
    password = secrets.token_urlsafe(12)
    try:
        client.create_account(DEMO_EMAIL, "creator", password)
    except Conflict:
        return ""
    return password


def _new_key(client: OperationsClient) -> str:
    for key in client.keys(DEMO_EMAIL):
        if key.name == _KEY_NAME and key.revoked_at is None:
            client.revoke_key(key.key_id)
    return client.create_key(DEMO_EMAIL, _KEY_NAME, None)[0]

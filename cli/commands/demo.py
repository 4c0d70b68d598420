"""`sponsorgraph demo`: something to try on services that run elsewhere."""

import secrets
from importlib import resources

from cli.commands._shell import catalog_target, err, operations, out, readable_errors
from devstack.clients.operations import OperationsClient
from devstack.home import DEMO_EMAIL
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
            err.print(refusal_of_sample(loaded.refused), markup=False, style="yellow")
        password = _account(client)
        base_url = read(RemoteSettings).base_url
        for label, value in (
            ("MCP URL", f"{base_url}/mcp"),
            ("Site", base_url),
            ("API key", _new_key(client)),
            ("E-mail", DEMO_EMAIL),
            ("Password", password or "as at the first time"),
        ):
            out.print(f"{label + ':':<10}{value}", markup=False, soft_wrap=True)


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

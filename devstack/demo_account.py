"""Makes the demo account of a home: `python -m devstack.demo_account HOME`, while its auth service runs.

It keeps the account's API key and password in the home. The password is empty where the account was there already; so is the
key where that account may have no further one, and the last line of the output says why.
"""

import secrets
import sys

from devstack.clients.operations import OperationsClient
from devstack.home import DEMO_EMAIL, Addresses, Home
from devstack.home_process import run_in_home
from servicekit.errors import Conflict, PermissionDenied


def main(arguments: list[str]) -> int:
    return run_in_home(arguments, __doc__, _make)


def _make(home: Home, addresses: Addresses) -> None:
    """Make the account and a key."""
    keys = home.secrets()
    credentials = addresses.credentials("cli", keys)
    client = OperationsClient(addresses.auth_grpc, keys.operator_token, credentials)
    password = secrets.token_urlsafe(12)
    try:
        client.create_account(DEMO_EMAIL, "creator", password)
    except Conflict:
        password = ""
    try:
        api_key, _ = client.create_key(DEMO_EMAIL, "demo", None)
    except (Conflict, PermissionDenied) as error:
        api_key = ""
        sys.stderr.write(f"{error.public_message}\n")
    home.write_demo_account(api_key, password)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Makes the demo account of a home: `python -m devstack.demo_account HOME`, while its auth service runs.

A process that ends, as what it loads is of no use later. It prints the account's API key and password as JSON; the password
is empty where an earlier start has made the account and was cut short.
"""

import json
import secrets
import sys
from pathlib import Path

from devstack.clients.operations import OperationsClient
from devstack.home import DEMO_EMAIL, Home
from servicekit.errors import Conflict


def main(arguments: list[str]) -> int:
    """Make the account and a key; the exit status is 2 when it is called wrongly."""
    home = Home(Path(arguments[0])) if len(arguments) == 1 else None
    addresses = home.addresses() if home else None
    if home is None or addresses is None:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    keys = home.secrets()
    credentials = addresses.credentials("cli", keys)
    client = OperationsClient(addresses.auth_grpc, keys.operator_token, credentials)
    password = secrets.token_urlsafe(12)
    try:
        client.create_account(DEMO_EMAIL, "creator", password)
    except Conflict:
        password = ""
    api_key, _ = client.create_key(DEMO_EMAIL, "demo", None)
    sys.stdout.write(json.dumps({"api_key": api_key, "password": password}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

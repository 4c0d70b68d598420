"""The token by which services of tests know each other."""

from typing import Final

from pydantic import SecretStr

from servicekit.peer_credentials import PeerCredentials

TOKEN: Final = "the-token-of-a-deployment-of-tests"
GRPC_TOKEN: Final = SecretStr(TOKEN)
CREDENTIALS: Final = PeerCredentials((TOKEN,))
METADATA: Final = (("authorization", f"Bearer {TOKEN}"),)

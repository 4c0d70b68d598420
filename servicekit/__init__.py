"""The common parts of every service process. Nothing here depends on a service's domain."""

import os

# gRPC's core writes lines of its own to standard error, such as one for each failed handshake, where only lines of our logs
# may be. It reads this when it is imported, and this package is imported before it.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # noqa: TID251 - not a setting of ours

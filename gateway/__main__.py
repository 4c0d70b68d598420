"""`python -m gateway [check-settings]`: serves until SIGTERM, as one process or as several on one port, or reads its settings only."""

import socket
import sys
from collections.abc import Coroutine, Mapping
from typing import Any

from servicekit.process.imports import skip_unused_imports

with skip_unused_imports():
    from gateway import workers
    from gateway.settings import GatewaySettings
    from servicekit.process import runtime
    from servicekit.process.usage import CHECK_SETTINGS, exit_if_checked, exit_with_usage, refuse
    from servicekit.settings import read_or_exit


def main() -> None:
    exit_with_usage(__doc__)
    if sys.argv[1:2] not in ([], [CHECK_SETTINGS]):
        refuse(__doc__)
    settings = read_or_exit(GatewaySettings)
    exit_if_checked(settings)
    sys.exit(runtime.run("gateway", settings, _main(settings)))


def _main(settings: GatewaySettings) -> Coroutine[Any, Any, int | None]:
    if settings.workers == 1:
        # Only a process that serves imports what serves: it takes up 60 MB.
        with skip_unused_imports():
            from gateway.app import run  # noqa: PLC0415

        return run(settings)
    environments = [_environment(settings, number) for number in range(settings.workers)]
    command = (sys.executable, "-m", "gateway")
    return workers.supervise(command, environments, (settings.host, settings.port))


def _environment(settings: GatewaySettings, number: int) -> Mapping[str, str]:
    name = settings.instance or f"{socket.gethostname()}:{settings.port}"
    own = {
        "GATEWAY_WORKERS": "1",
        "GATEWAY_SHARES_PORT": "true",
        "GATEWAY_INSTANCE": f"{name}/{number}",
    }
    if settings.metrics_port is None:
        return own
    return {**own, "GATEWAY_METRICS_PORT": str(settings.metrics_port + 1 + number)}


if __name__ == "__main__":
    main()

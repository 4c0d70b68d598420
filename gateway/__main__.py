"""`python -m gateway`: serves until SIGTERM."""

from gateway.app import run
from gateway.settings import GatewaySettings
from servicekit import runtime


def main() -> None:
    settings = GatewaySettings()  # pyright: ignore[reportCallIssue] - the environment has the rest
    runtime.run("gateway", settings, run(settings))


if __name__ == "__main__":
    main()

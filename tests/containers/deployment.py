"""compose.yaml under a project name, ports, secrets and a network of its own."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import ssl
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import httpx2

from devstack.ports import free_port
from tests.containers.page import blocks

REPOSITORY: Final = Path(__file__).resolve().parents[2]
OURS: Final = ("catalog", "auth", "imports-serve", "imports-work", "gateway")
ONCE: Final = ("migrate-catalog", "migrate-auth", "migrate-imports")
OTHERS: Final = ("postgres", "valkey", "edge", "backup")
PAGE: Final = "On a server, with compose"
_LIMITS: Final = {
    "monthly_requests": 10**6,
    "burst_requests": 10**5,
    "burst_refill_per_second": 10**4,
}
_CERTIFICATE: Final = "/data/caddy/pki/authorities/local/root.crt"


@dataclass
class Deployment:
    """A deployment as after following docs/operations.md."""

    folder: Path
    project: str
    https_port: int
    environment: dict[str, str] = field(default_factory=dict[str, str])
    files: tuple[str, ...] = ("compose.yaml",)
    printed: dict[str, str] = field(default_factory=dict[str, str])
    """Return the lines that the demo printed, by label."""

    @classmethod
    def new(cls, folder: Path) -> Deployment:
        https_port = free_port()
        network = f"10.{secrets.randbelow(50) + 180}.{secrets.randbelow(250)}"
        project = f"sgtest{secrets.token_hex(3)}"
        environment = {
            **os.environ,
            "COMPOSE_PROJECT_NAME": project,
            "SPONSORGRAPH_REGISTRY": "sponsorgraph-test",
            "SPONSORGRAPH_VERSION": "test",
            "SPONSORGRAPH_SECRETS": str(folder / "secrets"),
            # Older programs know no interval of the start, and wait for one of these each time.
            "SPONSORGRAPH_HEALTH_INTERVAL": "3s",
            "SPONSORGRAPH_HTTP_PORT": f"127.0.0.1:{free_port()}",
            "SPONSORGRAPH_HTTPS_PORT": f"127.0.0.1:{https_port}",
            "SPONSORGRAPH_ORIGIN_PORT": f":{https_port}",
            "SPONSORGRAPH_EDGE_SUBNET": f"{network}.0/24",
            "SPONSORGRAPH_EDGE_RANGE": f"{network}.0/25",
            "SPONSORGRAPH_EDGE_ADDRESS": f"{network}.250",
        }
        check_out(folder / "checkout")
        # No test of a deployment is about the limits of a plan.
        limits = f"AUTH_PLANS={json.dumps({'creator': _LIMITS})}\n"
        (folder / "checkout" / "auth.env").write_text(limits)
        return cls(folder, project, https_port, environment)

    @property
    def checkout(self) -> Path:
        """Return the operator's copy of the repository, in which commands run."""
        return self.folder / "checkout"

    @property
    def origin(self) -> str:
        return f"https://localhost:{self.https_port}"

    def run(self, *command: str, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """A command in the operator's copy of the repository, with this deployment's environment."""
        return subprocess.run(
            command,
            cwd=self.checkout,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )

    def must(self, *command: str, seconds: float = 300) -> str:
        """The output of a command that has to succeed."""
        done = self.run(*command, seconds=seconds)
        assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-6000:]}"
        return done.stdout

    def page(self, block: str, seconds: float = 300) -> str:
        """Run a block of the page as it stands there; each of its lines has to succeed."""
        return self.must("bash", "-euo", "pipefail", "-c", block, seconds=seconds)

    def compose(self, *arguments: str) -> str:
        return self.must(*self.command, *arguments)

    @property
    def command(self) -> list[str]:
        """Return `docker compose` with this deployment's files."""
        return ["docker", "compose", *(part for file in self.files for part in ("-f", file))]

    def up(self, *arguments: str) -> None:
        """All healthy; what the containers said, where they do not become so."""
        started = self.run(*self.command, "up", "--wait", *arguments)
        assert started.returncode == 0, f"{started.stderr[-2000:]}\n{self.output()}"

    def output(self) -> str:
        """The last lines of each of our containers' logs."""
        lines: list[str] = []
        for service in (*ONCE, *OURS):
            for container in self.containers(service):
                log = self.run("docker", "logs", "--tail", "40", container)
                lines.append(f"--- {service}\n{log.stdout}{log.stderr}")
        return "\n".join(lines)

    def install(self) -> None:
        """Install by the page's first block: secrets, images, start, demo.

        The images are built by `make images`, which the page names beside `docker compose build`: once each.
        """
        block = blocks(PAGE)[0]
        assert "docker compose build                 # or `make images`" in block
        images = "make images REGISTRY=sponsorgraph-test VERSION=test"
        printed = self.page(block.replace("docker compose build", images), seconds=450)
        lines = (line.partition(":") for line in printed.splitlines())
        self.printed = {label.strip(): value.strip() for label, _, value in lines if value.strip()}

    def remove(self) -> None:
        self.run(*self.command, "down", "-v", "--remove-orphans")

    def containers(self, service: str) -> list[str]:
        """The ids of a service's containers."""
        labels = (
            f"com.docker.compose.project={self.project}",
            f"com.docker.compose.service={service}",
        )
        filters = [part for label in labels for part in ("--filter", f"label={label}")]
        found = self.must("docker", "ps", "--all", "--quiet", "--no-trunc", *filters).split()
        # One-off containers of `run` are no part of the service.
        return [item for item in found if self.label(item, "com.docker.compose.oneoff") != "True"]

    def inspect(self, container: str) -> Any:
        (found,) = json.loads(self.must("docker", "inspect", container))
        return found

    def label(self, container: str, name: str) -> str:
        return self.inspect(container)["Config"]["Labels"].get(name, "")

    def inside(self, container: str, *command: str) -> subprocess.CompletedProcess[str]:
        """A command inside a container."""
        return self.run("docker", "exec", container, *command, seconds=60)

    def health_check(self, container: str) -> str:
        """The command by which the engine finds a service healthy, as a shell writes it."""
        kind, *command = self.inspect(container)["Config"]["Healthcheck"]["Test"]
        assert kind == "CMD"
        return shlex.join(command)

    def wait_until_healthy(self, container: str) -> None:
        """Return when a started service passes its own check; it fails after 50 s without."""
        loop = f"until {self.health_check(container)}; do sleep 0.2; done"
        ended = self.inside(container, "timeout", "50", "bash", "-c", loop)
        assert ended.returncode == 0, f"{ended.stdout[-500:]}{ended.stderr}"

    @cached_property
    def trust(self) -> ssl.SSLContext:
        """Trusts the edge's own authority and nobody else."""
        (edge,) = self.containers("edge")
        return ssl.create_default_context(cadata=self.inside(edge, "cat", _CERTIFICATE).stdout)

    def client(self) -> httpx2.Client:
        """An HTTP client from outside."""
        return httpx2.Client(base_url=self.origin, verify=self.trust, timeout=20)

    def call_tool(self, tool: str, arguments: dict[str, Any]) -> httpx2.Response:
        """A bare `tools/call` on a connection of its own, with the demo's key."""
        params = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        with self.client() as client:
            headers = {"Authorization": f"Bearer {self.printed['API key']}"}
            return client.post("/mcp", json=body, headers=headers)


def check_out(folder: Path) -> None:
    """Copy what git has of this repository, and what it would take up, into `folder`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - from the PATH
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.rstrip("\0").split("\0"):
        source, target = REPOSITORY / name, folder / name
        if source.is_file() and not name.startswith(("tests/", "benchmarks/")):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)

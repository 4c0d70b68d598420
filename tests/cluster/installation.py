"""The chart on the cluster that KUBECONFIG names, with engines beside it, in namespaces of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import yaml

from devstack.ports import HOST, free_port, listens
from tests.unit.deploy.helm_program import CHART, ROOT, helm

LOCAL: Final = ROOT / "deploy" / "kubernetes" / "overlays" / "local"
SERVICES: Final = ("gateway", "catalog", "auth", "imports")
PROCESSES: Final = (*SERVICES, "imports-work")
RELEASE: Final = "sponsorgraph"
_RESTRICTED: Final = {
    "runAsNonRoot": True,
    "runAsUser": 10001,
    "seccompProfile": {"type": "RuntimeDefault"},
}
_CONTAINER: Final = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


class CommandError(AssertionError):
    """A command of kubectl or Helm failed; the message has its output."""


def run(*command: str, text: str | None = None, seconds: float = 300) -> str:
    """Return the output of a command.

    Raises:
        CommandError: It ended with another status than 0.
    """
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, timeout=seconds
    )
    if done.returncode:
        raise CommandError(f"{' '.join(command[:6])} …: {done.stderr}{done.stdout}")
    return done.stdout


@dataclass
class Installation:
    """A namespace with the release and its engines, and one that the policies take for the edge."""

    namespace: str
    folder: Path
    images: Mapping[str, str]
    """The values of `image`."""

    @property
    def edge(self) -> str:
        return f"{self.namespace}-edge"

    def kubectl(self, *arguments: str, text: str | None = None, seconds: float = 300) -> str:
        return run("kubectl", "-n", self.namespace, *arguments, text=text, seconds=seconds)

    def prepare(self) -> None:
        """Make the namespaces, the engines, the Secrets and the certificates."""
        for name, labels in (
            (self.namespace, {"pod-security.kubernetes.io/enforce": "restricted"}),
            (self.edge, {"sponsorgraph/role": "edge"}),
        ):
            document = {"apiVersion": "v1", "kind": "Namespace"}
            self._apply([{**document, "metadata": {"name": name, "labels": labels}}])
        for name in (*SERVICES, "engines"):
            self._secret(name, "--from-env-file", str(LOCAL / "secrets" / f"{name}.example.env"))
        self.kubectl("apply", "-k", str(LOCAL / "engines"))
        self._apply(list(_policies_of_engines()))
        run(sys.executable, "-m", "cli", "certificates", "make", str(self.folder / "tls"))
        for name in (*PROCESSES, "cli"):
            self._secret(f"{name}-tls", "--from-file", str(self.folder / "tls" / name))
        for engine in ("postgres", "valkey"):
            self.kubectl("rollout", "status", f"statefulset/{engine}", "--timeout=5m", seconds=330)

    def helm(self, action: str, *arguments: str) -> str:
        return run(
            helm(), action, RELEASE, *arguments, "--namespace", self.namespace, seconds=1_200
        )

    def upgrade(self, **values: Any) -> None:
        """Install the chart, or bring it to these values, and wait until all is ready."""
        everything = {
            "image": dict(self.images),
            "mutualTls": {"certManager": False},
            "monitoring": {"enabled": False},
            "ingress": {"enabled": False},
            "importsWork": {"autoscaling": {"enabled": False}},
            "gateway": {"autoscaling": {"enabled": False}},
            "catalog": {"autoscaling": {"enabled": False}},
            **values,
        }
        file = self.folder / "values.yaml"
        file.write_text(yaml.safe_dump(everything))
        self.helm("upgrade", str(CHART), "--install", "--wait", "--timeout=15m", f"--values={file}")

    def remove(self) -> None:
        for name in (self.namespace, self.edge):
            run("kubectl", "delete", "namespace", name, "--ignore-not-found", "--timeout=5m")

    def _apply(self, documents: list[dict[str, Any]]) -> None:
        run("kubectl", "apply", "-f", "-", "-n", self.namespace, text=yaml.safe_dump_all(documents))

    def _secret(self, name: str, *source: str) -> None:
        """As the operators' page makes one."""
        made = self.kubectl(
            "create", "secret", "generic", name, *source, "--dry-run=client", "-o", "yaml"
        )
        self.kubectl("apply", "-f", "-", text=made)

    @contextmanager
    def forwarded(self, target: str, port: int) -> Generator[int]:
        """A port of this machine that leads to one of a pod."""
        local = free_port()
        command = ["kubectl", "-n", self.namespace, "port-forward", target, f"{local}:{port}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not listens(local):
                assert time.monotonic() < deadline, f"no way to {target}"
                time.sleep(0.2)
            yield local
        finally:
            process.terminate()
            process.wait(30)

    def sponsorgraph(self, *arguments: str) -> str:
        """The operator's command, by port-forward and with the certificate `cli`."""
        values = _example("auth")
        with self.forwarded("deployment/auth", 8102) as port:
            environment = {
                **os.environ,
                "SPONSORGRAPH_AUTH_GRPC": f"localhost:{port}",
                "SPONSORGRAPH_OPERATOR_TOKEN": values["AUTH_OPERATOR_TOKEN"],
                "SPONSORGRAPH_GRPC_TOKEN": values["AUTH_GRPC_TOKEN"],
                "SPONSORGRAPH_GRPC_TLS_FOLDER": str(self.folder / "tls" / "cli"),
            }
            done = subprocess.run(
                [sys.executable, "-m", "cli", *arguments],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start_python(self, name: str, namespace: str, program: str, *arguments: str) -> None:
        """Start a pod of the image `cli` that runs a program."""
        overrides = {
            "spec": {
                "automountServiceAccountToken": False,
                "securityContext": _RESTRICTED,
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": name,
                        "image": f"{self.images['registry']}/cli:{self.images['tag']}",
                        "command": ["python", "-c", program, *arguments],
                        "securityContext": _CONTAINER,
                        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
                    }
                ],
            }
        }
        image = f"--image={self.images['registry']}/cli:{self.images['tag']}"
        run(
            "kubectl", "-n", namespace, "run", name, image, "--restart=Never",
            f"--overrides={json.dumps(overrides)}",
        )  # fmt: skip

    def result_of(self, name: str, namespace: str, seconds: int) -> Any:
        """Wait for the pod's end and return what it printed, which is JSON."""
        try:
            run(
                "kubectl", "-n", namespace, "wait", f"pod/{name}",
                "--for=jsonpath={.status.phase}=Succeeded", f"--timeout={seconds}s",
                seconds=seconds + 30,
            )  # fmt: skip
        finally:
            printed = run("kubectl", "-n", namespace, "logs", name)
        run("kubectl", "-n", namespace, "delete", "pod", name, "--wait=false")
        return json.loads(printed.strip().splitlines()[-1])

    def roll(self) -> None:
        """Restart all deployments one after another, as the operators' page does."""
        for name in ("catalog", "imports", "imports-work", "auth", "gateway"):
            self.kubectl("rollout", "restart", f"deployment/{name}")
            self.ready(name)

    def ready(self, name: str) -> None:
        self.kubectl("rollout", "status", f"deployment/{name}", "--timeout=10m", seconds=630)

    def call(self, key: str) -> dict[str, Any]:
        """Return the result of one call of `account.usage`."""
        arguments: dict[str, str] = {}
        body: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "account.usage", "arguments": arguments},
        }
        with self.forwarded("service/gateway", 8000) as port:
            headers = {"Authorization": f"Bearer {key}"}
            response = httpx2.post(
                f"http://{HOST}:{port}/mcp", json=body, headers=headers, timeout=60
            )
        assert response.status_code == 200, response.text
        return response.json()


def _policies_of_engines() -> Generator[dict[str, Any]]:
    """The local overlay's policies, under names that are not the chart's."""
    for document in yaml.safe_load_all((LOCAL / "network-policies.yaml").read_text()):
        document["metadata"]["name"] = f"engines-{document['metadata']['name']}"
        yield document


def _example(name: str) -> dict[str, str]:
    lines = (LOCAL / "secrets" / f"{name}.example.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line)

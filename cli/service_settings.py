"""Findings about the settings that the services of a home would be started with.

Each service reads its own, in a process that then ends: the command knows no service's settings, and what another process reads
is what a start would.
"""

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from devstack.children import inherited_environment
from devstack.home import DEFAULT, Addresses, Home, Secrets
from devstack.local_services import engines_of
from devstack.ports import HOST
from devstack.services import ServiceSpec, specs
from servicekit.process.usage import CHECK_SETTINGS
from servicekit.settings_errors import EXIT_STATUS
from shapes.auth.diagnostics import DiagnosisFinding

_SECONDS: Final = 60.0
_ADDRESS: Final = f"{HOST}:1"
_STACK: Final = Addresses(*[_ADDRESS] * 6, supervisor_pid=0)
"""What the stack itself gives its services is of a right form, whatever it is: these addresses and new secrets stand for it."""


def of_service_settings() -> Sequence[DiagnosisFinding]:
    """Return for each service whether its settings can be read from this environment, beside what the stack gives it."""
    keys, site = Secrets(), f"http://{_ADDRESS}"
    postgres, valkey = engines_of(Home(Path(DEFAULT)), _STACK, keys)
    services = specs(_STACK, keys, postgres, valkey, site, mail_folder="mails")
    with ThreadPoolExecutor(len(services)) as threads:
        return [finding for found in threads.map(_of_service, services) for finding in found]


def _of_service(spec: ServiceSpec) -> Sequence[DiagnosisFinding]:
    """Return a finding for each setting that the service refuses or does not know; one that is fine if there is none."""
    subject = f"Settings of {spec.name}"
    command = [sys.executable, "-m", spec.module, CHECK_SETTINGS]
    try:
        done = subprocess.run(
            command,
            env={**inherited_environment(), **spec.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        status, unknown, problems = 1, "", ""
    else:
        status, unknown, problems = done.returncode, done.stdout, done.stderr
    if not status:
        found = _findings(subject, "have no such name", unknown)
        return found or [DiagnosisFinding(subject, fine=True)]
    if status == EXIT_STATUS:
        return _findings(subject, "cannot be read", problems)
    remedy = f"Run `python -m {spec.module} {CHECK_SETTINGS}`, and `make install` if it fails."
    return [DiagnosisFinding(subject, fine=False, detail="were not checked", remedy=remedy)]


def _findings(subject: str, detail: str, remedies: str) -> Sequence[DiagnosisFinding]:
    """Return a finding for each line."""
    return [
        DiagnosisFinding(subject, fine=False, detail=detail, remedy=line)
        for line in remedies.splitlines()
    ]

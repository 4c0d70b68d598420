"""Asks OSV's database whether a package of the locks has a known vulnerability, by pip-audit.

Ends with 1 if one has. Without a response of the database nothing is known: that is said, and is no
failure, as most machines that build have no way to it. `--strict` makes it one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
LOCKS: Final = ("stack", "dev", "build", "uv", "audit", "archive")
"""Those of the other images have nothing that is not in the stack's."""

PROGRAM: Final = ROOT / ".venv-audit" / "bin" / "pip-audit"
_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class Found:
    """The known vulnerabilities of the packages of one lock.

    Attributes:
        checked: Number of packages that were looked up in the database; None without a response.
        vulnerable: A line each, with package, version, vulnerability and the versions that mend it.
        problem: Why there was no response.
    """

    checked: int | None
    vulnerable: tuple[str, ...] = ()
    problem: str = ""


def audited(lock: Path, osv_url: str = "", program: Path = PROGRAM) -> Found:
    """Asks of all that a lock pins for this system."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            str(program), "--requirement", str(lock), "--disable-pip", "--require-hashes",
            "--vulnerability-service", "osv", "--format", "json", "--output", str(report),
            "--progress-spinner", "off", "--cache-dir", folder,
        ]  # fmt: skip
        if osv_url:
            command += ["--osv-url", osv_url]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        if not report.exists():
            # Its exit status is 1 for both: only a response writes a report.
            return Found(None, problem=(done.stderr.strip().splitlines() or ["no reason told"])[-1])
        packages: list[dict[str, Any]] = json.loads(report.read_text())["dependencies"]
    checked = [package for package in packages if "version" in package]
    vulnerable = tuple(
        f"{item['name']} {item['version']}: {vulnerability['id']}"
        f" (mended in {', '.join(vulnerability['fix_versions']) or 'no version yet'})"
        for item in checked
        for vulnerability in item["vulns"]
    )
    return Found(len(checked), vulnerable)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strict", action="store_true", help="fail where there is no data, too")
    parser.add_argument("--osv-url", default="", help="another server of the database")
    options = parser.parse_args(arguments)
    status = 0
    for name in LOCKS:
        found = audited(ROOT / "requirements" / f"{name}.lock", options.osv_url)
        if found.checked is None:
            print(f"{name}.lock: NO DATA, nothing is known of it: {found.problem}")
            if not options.strict:
                print(
                    "The database was not reached: this is no pass. The other locks are not tried."
                )
                return status
            status = 1
            continue
        for line in found.vulnerable:
            print(f"{name}.lock: {line}")
            status = 1
        print(
            f"{name}.lock: {found.checked} packages, {len(found.vulnerable)} known vulnerabilities"
        )
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Builds Debian 13's PgBouncer into .venv-pgbouncer for the tests that run through it, and puts the machine's own package beside it.

Debian 12 has 1.18, which knows nothing of prepared statements, and the programs of Debian 13 need its newer C library. So apt
fetches the source, signed as all of Debian's, by lists of its own: the machine's are left as they are.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

_NEEDED: Final = ("build-essential", "pkg-config", "libevent-dev", "libssl-dev", "libc-ares-dev")
_SOURCE: Final = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main\n"


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    if shutil.which("apt-get") is None:
        raise SystemExit("There is no apt-get here: install PgBouncer 1.21 or newer yourself.")
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    (work / "lists" / "partial").mkdir(parents=True)
    (work / "cache" / "archives" / "partial").mkdir(parents=True)
    (work / "sources.list").write_text(_SOURCE, encoding="utf-8")
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    _run([*prefix, "apt-get", "update", "-qq"], work)
    _run(
        [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *_NEEDED],
        work,
    )
    options = (
        f"Dir::Etc::SourceList={work / 'sources.list'}",
        "Dir::Etc::SourceParts=/dev/null",
        f"Dir::State::Lists={work / 'lists'}",
        f"Dir::Cache={work / 'cache'}",
        "APT::Sandbox::User=",
    )
    apt = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    _run([*apt, "update"], work)
    _run([*apt, "source", "pgbouncer"], work)
    (source,) = (path for path in work.glob("pgbouncer-*") if path.is_dir())
    _run(["./configure", "--quiet", "--without-pam"], source)
    _run(["make", "--silent", "-j2", "pgbouncer"], source)
    # Unpacked and not installed, which would start it.
    _run(["apt-get", "download", "-qq", "pgbouncer"], work)
    (package,) = work.glob("pgbouncer_*.deb")
    _run(["dpkg", "--extract", str(package), str(folder / "distribution")], work)
    shutil.copy2(source / "pgbouncer", folder / "pgbouncer")
    shutil.rmtree(work)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()

"""Files with secrets that the page has an operator make are neither committed nor sent to a builder."""

import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
PRODUCTION: Final = "deploy/kubernetes/overlays/production"
SECRETS: Final = (
    ".env", "services.env", "gateway.env", "catalog.env", "auth.env", "imports.env", "backup.env",
    "backup-identities", "secrets/token_secret",
    "secrets/tls/authority/ca.key", "certificates/authority/ca.key", "certificates/auth/tls.key",
    f"{PRODUCTION}/certificates/authority/ca.key", f"{PRODUCTION}/secrets/auth.env",
    "copies/sponsorgraph-20261121T021705Z.tar", "sponsorgraph-elsewhere.tar", "copies/sponsorgraph-20261121T021705Z.tar.age",
    "deploy/compose/secrets/token_secret", "elsewhere/backup-identities", "sponsorgraph-support-20261121-021705.tar.gz",
    "copies/sponsorgraph-support-20261121-021705.tar.gz",
)  # fmt: skip


@pytest.mark.parametrize("path", SECRETS)
def test_git_ignores_it(path: str) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    done = subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False)  # noqa: S607 - from the PATH
    assert done.returncode == 0


def test_git_takes_the_examples_of_secrets() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    example = f"{PRODUCTION}/secrets/new.example.env"
    done = subprocess.run(["git", "check-ignore", "-q", example], cwd=ROOT, check=False)  # noqa: S607 - from the PATH
    assert done.returncode == 1


@pytest.mark.parametrize("path", SECRETS)
def test_builders_do_not_get_it(path: str) -> None:
    rules = (ROOT / ".dockerignore").read_text().split("\n")
    first = path.partition("/")[0]
    allowed = any(rule.startswith("!") and fnmatch(first, rule[1:]) for rule in rules)
    assert "*" in rules
    assert not allowed


def test_no_private_key_below_a_package_goes_to_builders() -> None:
    rules = (ROOT / ".dockerignore").read_text().split("\n")
    assert {"**/*.key", "**/*.pem", "**/*.env"} <= set(rules[-5:])


def test_the_page_makes_secret_files_readable_by_their_owner_alone() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    assert "install -m 600 secrets/$name.example.env secrets/$name.env" in page

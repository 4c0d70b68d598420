"""Certificates as `sponsorgraph certificates make` makes them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from typer.testing import CliRunner

from cli.app import cli
from devstack import certificates, peers
from servicekit.grpc.tls import IdentityFolder


def certificate(folder: Path, process: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / process / "tls.crt").read_bytes())


def names(found: x509.Certificate) -> x509.SubjectAlternativeName:
    return found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value


def test_each_process_gets_a_certificate_of_the_authority_in_its_name(tmp_path: Path) -> None:
    certificates.make(tmp_path / "made", addresses=["127.0.0.1"], days=30)
    for process, others in peers.PROCESSES.items():
        folder = tmp_path / "made" / process
        IdentityFolder(str(folder))
        made = certificate(tmp_path / "made", process)
        assert names(made).get_values_for_type(x509.DNSName) == [process, *others]
        assert [str(item) for item in names(made).get_values_for_type(x509.IPAddress)] == [
            "127.0.0.1"
        ]
        made.verify_directly_issued_by(certificate_of_authority(folder))
        holds = made.not_valid_after_utc - made.not_valid_before_utc
        assert timedelta(days=30) <= holds < timedelta(days=31)


def certificate_of_authority(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "ca.crt").read_bytes())


def test_made_again_certificates_are_new_and_the_authority_is_the_same(tmp_path: Path) -> None:
    certificates.make(tmp_path, {"catalog": ()})
    before = certificate(tmp_path, "catalog")
    authority = (tmp_path / "catalog" / "ca.crt").read_bytes()
    certificates.make(tmp_path, {"catalog": ()})
    after = certificate(tmp_path, "catalog")
    assert after.serial_number != before.serial_number
    assert after.public_key() != before.public_key()
    assert (tmp_path / "catalog" / "ca.crt").read_bytes() == authority


def test_the_owner_alone_comes_near_the_keys(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    certificates.make(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "authority" / "ca.key").stat().st_mode & 0o777 == 0o600
    for process in peers.PROCESSES:  # containers are given one folder, and run as others
        assert (folder / process).stat().st_mode & 0o777 == 0o755
        assert {item.stat().st_mode & 0o777 for item in (folder / process).iterdir()} == {0o644}


@pytest.mark.parametrize("process", peers.CALLERS)
def test_those_who_call_have_certificates(process: str) -> None:
    assert {process, *peers.CALLERS[process]} <= set(peers.PROCESSES)


def test_the_command_prints_what_it_made_and_what_is_wrong(tmp_path: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(cli, ["certificates", "make", str(tmp_path / "tls")])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "tls" / "gateway" / "tls.key").exists()
    refused = runner.invoke(
        cli, ["certificates", "make", str(tmp_path / "tls"), "--address", "nowhere"]
    )
    assert refused.exit_code == 1
    assert "nowhere" in refused.output

"""A private authority, and a certificate for each process of an installation.

    FOLDER/authority/ca.crt, ca.key        the authority; its key stays here
    FOLDER/NAME/tls.crt, tls.key, ca.crt   what the process NAME is given: see `servicekit.grpc.tls`

Only the owner can enter FOLDER. What is in the folders of processes can be read by all who are inside,
because containers run as other users than the owner and are given one such folder each.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from devstack.files import write_atomically
from devstack.peers import PROCESSES
from servicekit.grpc.tls import AUTHORITY, CERTIFICATE, KEY

_AUTHORITY_DAYS: Final = 3650
_EARLIER: Final = timedelta(minutes=5)
"""Clocks of machines differ."""

Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True, slots=True)
class _Authority:
    certificate: x509.Certificate
    key: Key


def make(
    folder: Path,
    processes: Mapping[str, Sequence[str]] = PROCESSES,
    *,
    addresses: Sequence[str] = (),
    days: int = 365,
) -> None:
    """Make the certificates anew, and the authority where there is none yet.

    Args:
        folder: Where they go.
        processes: Further DNS names by name of the process, which is the first one.
        addresses: IP addresses that each certificate is good for as well.
        days: How long the certificates hold; the authority holds ten years.

    Raises:
        OSError: The folder cannot be written to.
        ValueError: An address is none, or the authority that is there cannot be read.
    """
    ips = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    authority = _authority(folder / "authority")
    for name, others in processes.items():
        path = folder / name
        path.mkdir(exist_ok=True, mode=0o755)
        path.chmod(0o755)
        names = [*(x509.DNSName(item) for item in (name, *others)), *ips]
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _signed(name, key, names, authority, timedelta(days=days))
        write_atomically(path / AUTHORITY, _pem(authority.certificate), 0o644)
        write_atomically(path / KEY, _key_pem(key), 0o644)
        write_atomically(path / CERTIFICATE, _pem(certificate), 0o644)


def _authority(folder: Path) -> _Authority:
    key_file, certificate_file = folder / "ca.key", folder / AUTHORITY
    if certificate_file.exists():
        key = serialization.load_pem_private_key(key_file.read_bytes(), None)
        if not isinstance(key, Key):
            raise ValueError(f"{key_file} holds no key of the kind that is made here.")
        return _Authority(x509.load_pem_x509_certificate(certificate_file.read_bytes()), key)
    folder.mkdir(exist_ok=True, mode=0o700)
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Sponsorgraph internal authority")
    certificate = (
        _begun(name, name, key, timedelta(days=_AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    write_atomically(key_file, _key_pem(key), 0o600)
    write_atomically(certificate_file, _pem(certificate), 0o644)
    return _Authority(certificate, key)


def _signed(
    name: str, key: Key, names: Sequence[x509.GeneralName], by: _Authority, holds: timedelta
) -> x509.Certificate:
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(by.key.public_key())
    return (
        _begun(_name(name), by.certificate.subject, key, holds)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(issuer, critical=False)
        .sign(by.key, hashes.SHA256())
    )


def _begun(
    subject: x509.Name, issuer: x509.Name, key: Key, holds: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + holds)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: Key) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )

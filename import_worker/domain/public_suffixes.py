"""Public suffixes (publicsuffix.org): the part of a host below which anybody may register a name, such as "co.uk"."""

from functools import cache

from publicsuffixlist import PublicSuffixList


def split_host(host: str) -> tuple[str, str, str]:
    """Return the subdomain of a host, the label that was registered, and the public suffix, as they are written.

    A host under no known suffix has "" for it. Suffixes that companies opened below their own domains count as registered names.
    """
    suffix = _suffixes().publicsuffix(host, keep_case=True)
    if not suffix:
        return "", host.rpartition(".")[2], ""
    subdomain, _, label = host[: -len(suffix) - 1].rpartition(".")
    return subdomain, label, suffix


def registrable_domain(host: str) -> str | None:
    """Return the registrable domain of a host; None for a public suffix or an address."""
    _, label, suffix = split_host(host)
    return f"{label}.{suffix}" if label and suffix else None


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False, only_icann=True)

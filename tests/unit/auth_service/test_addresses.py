"""Valid addresses, and addresses that count as the same."""

from email import message_from_bytes, policy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.clients.mailers import FolderMailer
from auth_service.domain.addresses import normalised_email
from auth_service.domain.site.mails import notice
from servicekit.errors import InvalidInput


def test_addresses_are_compared_without_case_and_blanks() -> None:
    assert normalised_email("  Ada@Example.COM ") == "ada@example.com"
    assert normalised_email("Émile@Example.COM") == normalised_email("émile@example.com")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("stra\u00dfe", "strasse"),
        ("stra\u1e9ee", "strasse"),
        ("\u0130da", "ida"),
        ("\u0131da", "ida"),
    ],
)
def test_addresses_of_two_inboxes_are_two(first: str, second: str) -> None:
    assert normalised_email(f"{first}@example.com") != normalised_email(f"{second}@example.com")
    assert normalised_email(f"x@{first}.example") != normalised_email(f"x@{second}.example")


@pytest.mark.parametrize(
    "name", ["mi\u212ae", "\u017fam", "o\ufb03ce", "\uff41da", "a\u200dda", "e\u0301mile", "\u2460"]
)
def test_a_name_in_characters_that_pass_for_others_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        normalised_email(f"{name}@example.com")


@pytest.mark.parametrize(
    "email",
    [
        "", "ada", "ada@", "@example.com", "a b@example.com", "a@b", "a@example", "a,b@example.com",
        "<a@example.com>", "a@example.com, b@example.com", "Ada <a@example.com>", '"a b"@example.com',
        "a@[127.0.0.1]", "a..b@example.com", ".a@example.com", "a@-b.example", "a@b..example",
        "a\n@example.com", "a@exa\rmple.com", "a\ud800@example.com", "x" * 65 + "@example.com",
        "a@" + "b." * 126 + "example", "a@" + "b" * 64 + ".example", "a;b@example.com", "a@b@example.com",
        "\U0001f600@example.com", "a@\U0001f600.example",
    ],
)  # fmt: skip
def test_text_that_is_no_address_is_refused_by_field(email: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        normalised_email(email)
    assert raised.value.details == {"field": "email"}


@pytest.mark.parametrize("email", ["demo@sponsorgraph.local", "o'hara+x@mail.example.com"])
def test_usual_addresses_are_accepted(email: str) -> None:
    assert normalised_email(email) == email


ODD = st.text(st.sampled_from("aÄß@.,;<>\"' +\t\n\r\0\u212a\ud800\U0001f600日א"), max_size=40)


@given(st.one_of(ODD, st.builds("{}@{}".format, st.text(max_size=80), st.text(max_size=80))))
def test_any_text_is_refused_or_an_address_that_mail_can_be_sent_to(text: str) -> None:
    try:
        email = normalised_email(text)
    except InvalidInput:
        return
    assert normalised_email(email) == email
    with TemporaryDirectory() as folder:
        FolderMailer(Path(folder), "us@example.com").write(notice(email, "Something happened"))
        (mail,) = Path(folder).iterdir()
        header = message_from_bytes(mail.read_bytes(), policy=policy.default)["To"]
    assert [address.addr_spec for address in header.addresses] == [email]

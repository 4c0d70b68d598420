"""Whatever a secret is, it is taken out of each shape that logs and dumps have; what explains a failure is not."""

from __future__ import annotations

import string
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cli.support.redaction import Redactor

WORDS: Final = st.text(
    string.ascii_letters + string.digits + "!.~*_+", min_size=6, max_size=40
).filter(lambda text: text[0].isalnum() and text[-1].isalnum())
PLAIN: Final = st.text(string.ascii_letters + string.digits, min_size=6, max_size=40)
AROUND: Final = "before it\n{}\nafter it"
HEX: Final = st.text("0123456789abcdef", min_size=64, max_size=64)
_NAMES: Final = (
    "password", "key", "signing_key", "encryption-key", "MASTER_KEY", "session", "sessionid",
    "JSESSIONID", "pw", "creds", "user_code", "device_code", "x-api-key", "client_secret",
)  # fmt: skip
_BY_NAME: Final = (
    "{name}={value}",
    "{name}: {value}",
    "at start: {name} = {value}; next",
    "[(b'{name}', b'{value}')]",
    "headers=[(b'host', b'x'), (b'{name}', b'{value}'), (b'a', b'b')]",
    "('{name}', '{value}')",
    '["{name}", "{value}"]',
    '{{"headers": [["{name}", "{value}"], ["host", "x"]]}}',
    '{{"name": "{name}", "value": "{value}"}}',
    '{{"env": [{{"value": "{value}", "name": "{name}"}}]}}',
    "not JSON {{'name': '{name}', 'value': '{value}'}}",
    "not JSON {{'value': '{value}', 'name': '{name}'}}",
    "  - name: {name}\n    value: {value}",
    "{name}: |\n  {value}\n  {value}\nnext: x",
    "{name}: >-\n    {value}",
    "{name}=[{value}]",
    "{name}={{{value}}}",
    "\x1b[36m{name}\x1b[0m=\x1b[35m{value}\x1b[0m",
    "<{name}>{value}</{name}>",
    '{{"{name}": {{"value": "{value}"}}}}',
    '{{"{name}": [{{"inner": ["{value}"]}}]}}',
    "GET /x?next=%2Fa%3Fa%26{name}%3D{value}",
    "GET /x?next=%252Fa%2526{name}%253D{value}",
)
_STATEMENTS: Final = (
    "requirepass {}",
    'CONFIG SET requirepass "{}"',
    "AUTH default {}",
    "AUTH {}",
    '1700000000.1 [0 127.0.0.1:1] "AUTH" "default" "{}"',
    "ACL SETUSER u on >{} ~* +@all",
    "user u on >{} ~* +@all",
    "CREATE USER x IDENTIFIED BY '{}'",
    "ALTER ROLE x PASSWORD $${}$$",
    "ALTER ROLE x PASSWORD $tag${}$tag$ LOGIN",
    "GET /reset/{} 200",
    "POST https://hooks.slack.com/services/{} 404",
    "curl -u ada:{} https://x.example",
    "curl --user 'ada:{}' https://x.example",
    "key dop_v1_{} is refused",
    "key ya29.{} is refused",
    '{{"kty": "OKP", "crv": "Ed25519", "d": "{}"}}',
)


def shown(line: str) -> str:
    return Redactor().log(AROUND.format(line))


@given(st.sampled_from(_NAMES), st.sampled_from(_BY_NAME), WORDS)
def test_nothing_that_stands_under_a_secret_s_name_is_left(
    name: str, shape: str, value: str
) -> None:
    assume(value not in f"{AROUND} {shape.format(name=name, value='')} [redacted]")
    assert value not in shown(shape.format(name=name, value=value))


@pytest.mark.parametrize("shape", _STATEMENTS)
@given(value=PLAIN.map(lambda text: f"{text}x1"))
def test_nothing_is_left_of_a_secret_in_statements_commands_and_paths(
    shape: str, value: str
) -> None:
    assume(value not in f"{AROUND} {shape.format('')} [redacted]")
    assert value not in shown(shape.format(value))


@given(HEX)
def test_hashes_in_the_details_of_postgres_are_taken_out(digest: str) -> None:
    for line in (
        rf"DETAIL:  Key (token_hash)=(\x{digest}) already exists.",
        rf"Failing row contains (1, \x{digest}, x)",
        f"md5{digest[:32]}",
        f"dop_v1_{digest}",
    ):
        assert digest[:32] not in shown(line)


@given(
    st.text(string.ascii_lowercase + string.digits, min_size=32, max_size=60).filter(
        lambda text: any(map(str.isdigit, text)) and bool(set(text) - set("0123456789abcdef"))
    )
)
def test_long_texts_of_small_letters_and_digits_are_taken_out(text: str) -> None:
    assert text not in shown(f"found {text} in it")


@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", min_size=32, max_size=64))
def test_secrets_of_authenticators_are_taken_out(text: str) -> None:
    assert text not in shown(f"found {text} in it")


@given(st.from_regex(r"[a-z]{1,12}\.[a-z]{1,12}", fullmatch=True))
def test_an_address_that_is_encoded_more_than_once_is_taken_out(person: str) -> None:
    for at in ("%40", "%2540", "%252540"):
        assert f"{person}{at}" not in shown(
            f"GET /operator?next=%2Fx%3Fq%3D{person}{at}example.com"
        )


@pytest.mark.parametrize(
    "line",
    [
        "request 4f2c9a1be07d4638 took 12 ms, trace 4bf92f3577b34da6a3ce929d0e0e4736, error 1a2b3c4d",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "Running upgrade 0017_audit_reasons -> 0018_account_limits, 0005 of imports",
        "job 550e8400-e29b-41d4-a716-446655440000 is done",
        "acc_aef13c3e216e61986de63859 key_5f2c9a1be07d4638 imp_b5fde0dbb3fb76f0289b2c6c gr_0123456789abcdef",
        "sponsorgraph-20261121T021705Z.tar.age has 3.1 MB",
        '  File "/usr/lib/python3.13/site-packages/psycopg/connection_async_2.py", line 117, in connect',
        "tests/integration/devstack/test_withdrawals_outlast_2_restores_in_a_row.py passed",
        'duplicate key value violates unique constraint "accounts_email_key"',
        "DETAIL:  Key (account_id)=(acc_aef13c3e216e61986de63859) is not present in table",
        "GET /mcp 200 in 12 ms; /reset 405; GET /healthz/serving 503",
        "grpc: catalog:8101 UNAVAILABLE: connection refused (111)",
        "[info] auth is ready, keys: reread, sessions of 3 accounts ended",
        "user ada turned on notifications; auth default timeout is 2 s",
        "channel UCBR8-60-B28hp2BmDPdntcQ, video dQw4w9WgXcQ",
        "RESOURCE_EXHAUSTED DEADLINE_EXCEEDED UNAUTHENTICATED INVALIDARGUMENTERROR",
        '{"event": "tool_called", "fields": ["name", "value"], "name": "sponsor", "value": "x", "d": 5}',
    ],
)
def test_ordinary_lines_stay_as_they_are(line: str) -> None:
    redactor = Redactor()
    assert redactor.log(line) == line
    assert redactor.counts == {}

"""Secrets are taken out of texts by value, by the name that they stand under, and by shape."""

from __future__ import annotations

import base64
import json
import secrets
from typing import Any, Final
from urllib.parse import quote

import pytest

from cli.support.redaction import Redactor, is_secret_name

BODY: Final = "\n".join(base64.b64encode(secrets.token_bytes(48)).decode() for _ in range(20))
PEM: Final = f"-----BEGIN PRIVATE KEY-----\n{BODY}\nq1w2E3==\n-----END PRIVATE KEY-----"
JWT: Final = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2NfMSJ9.c2lnbmF0dXJl"

PLANTS: Final = (
    ("found {}", "mcp_D6KiwVa2i9nmQn6mGrxFOgeD1wrZuc2852KI"),
    ("Authorization: Bearer {} was refused", JWT),
    ("curl -H 'authorization: Basic {}' x", "YWRhOmh1bnRlcjI="),
    ("connecting to postgresql://auth:{}@db:5432/auth", "hunter2"),
    ("connecting to postgresql://auth:{}@db/auth", "hun/ter@2"),
    ("redis://:{}@valkey:6379/0 is away", "p4ss"),
    ("GET /confirm?token={}&next=/ 200", "abc123"),
    ("GET /oauth/callback?state=x&code={} 302", "4/0AX4XfWh"),
    ("location=/login#access_token={}", "abc123xyz"),
    ("password={} user=ada", "hunter2"),
    ("smtp_password: {}", "correct horse battery"),
    ('{{"password": "{}", "n": 1}}', "hunter2"),
    ('{{"outer": {{"client_secret": "{}"}}}}', "abc"),
    ('{{"event": "x", "body": "{{\\"api_key\\": \\"{}\\"}}"}}', "abcdef1"),
    ('{{"event": "bad", "headers": ["Cookie: session={}; b=2"]}}', "s3ss10n"),
    ('{{"code": "{}"}}', "381920"),
    ("Cookie: session=abc; csrf={}", "t0k3n"),
    ("key sk_live_{} is refused", "51H8abcdefghij"),
    ("whsec_{} did not sign it", "Q2hlY2tvdXQ"),
    ("ghp_{} expired", "16C7e42F292c6912E7"),
    ("unlabelled {} in a line", "dGhpcyBpcyBhIHNlY3JldCB0aGF0IGlzIGxvbmcgNDI"),
    ("digest {}", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("hash $argon2id$v=19$m=65536,t=3,p=4${}", "c29tZXNhbHQ$RdescudvJCsgt3ub"),
    ("mail to {} was refused", "ada.lovelace+x@example.com"),
    ("mail to {} was refused", "ünal@bücher.example"),
    ("DETAIL: Key (email)=({}) already exists.", "ada@example.com"),
    ("/operator?q={}", "ada%40example.com"),
    ('{{"event": "saved {}"}}', "ada@example.com"),
    ("api-key: {}", "hunter2"),
    ("x-api-key: {} was refused", "hunter2"),
    ('{{"headers": {{"X-Api-Key": "{}"}}}}', "hunter2"),
    ("pass={} user=ada", "hunter2"),
    ("user=ada pwd={}", "hunter2"),
    ("smtp_pass={}", "hunter2"),
    ("otp={} was wrong", "381920"),
    ("recovery_code={}", "k4x9-77qp"),
    ("code_verifier={} state=ok", "hunter2"),
    ('{{"recovery_codes": ["{}"], "code_verifier": "x"}}', "k4x9-77qp"),
    ("statement: ALTER ROLE catalog PASSWORD '{}' LOGIN", "hunter2"),
    ("statement: CREATE USER x ENCRYPTED PASSWORD E'it''s {}'", "hunter2"),
    ('{{"argv": ["--user", "ada", "--password", "{}"]}}', "hunter2"),
    ("psql --host db --password {} --quiet", "hunter2"),
    ("ran ['psql', '--password', '{}']", "hunter2"),
    ('not JSON: "password" : "a\\"{}"', "hunter2"),
    ('not JSON: {{\\"password\\": \\"a\\\\\\"{}\\"}}', "hunter2"),
    ("token: 'it\\'s {}'", "hunter2"),
    ("password=\n{}", "hunter2"),
    ("  client_secret:\n    {} and more", "hunter2"),
    ('{{"error": "password:\\n{}"}}', "hunter2"),
    ('mail to "weird {}"@example.com', "name"),
    ('{{"event": "mail to \\"weird {}\\"@example.com"}}', "name"),
    ('no JSON: mail to \\"weird {}\\"@example.com', "name"),
)


@pytest.mark.parametrize(("line", "planted"), PLANTS)
def test_no_secret_of_any_kind_is_left_in_a_line(line: str, planted: str) -> None:
    redactor = Redactor()
    shown = redactor.log(f"before it\n{line.format(planted)}\nafter it")
    assert planted not in shown
    assert shown.startswith("before it\n")
    assert shown.endswith("\nafter it")
    assert sum(redactor.counts.values()) >= 1


@pytest.mark.parametrize(
    "text",
    [PEM, PEM.split("\n", 3)[3], PEM[: len(PEM) // 2], json.dumps({"event": "key", "at": PEM})],
    ids=["whole", "without its begin", "without its end", "in JSON"],
)
def test_nothing_of_a_key_in_pem_is_left(text: str) -> None:
    shown = Redactor().log(f"before it\n{text}\nafter it")
    for line in (*BODY.split("\n"), "q1w2E3=="):
        assert line not in shown
    assert shown.startswith("before it\n")


def test_a_known_value_is_taken_out_in_each_of_its_forms() -> None:
    value = 'we"ird pass/wörd'
    redactor = Redactor([value, "on"])
    text = " ".join((value, quote(value, safe=""), json.dumps(value), "on"))
    shown = redactor.text(text)
    assert "ird" not in shown
    assert shown.endswith(" on")
    assert redactor.counts["known value"] == 3


def test_a_known_value_that_is_cut_off_is_taken_out_from_twelve_characters_on() -> None:
    value, url = "Zq7-correct/horse battery", "https://ada:hunter2@example.com"
    redactor = Redactor([value, url])
    text = f"{value[:20]}… {value[:12]}, {quote(value, safe='')[:14]} {value} {value[:11]} https://example.com"
    expected = "[redacted]… [redacted], [redacted] [redacted] Zq7-correct https://example.com"
    assert redactor.text(text) == expected
    assert redactor.counts["known value"] == 4


def test_fields_are_taken_out_by_their_names_at_any_depth() -> None:
    value: Any = {
        "AUTH_TOKEN_SECRET": "a",
        "IMPORT_READER_KEY": "b",
        "nested": [{"refresh_token": ["c", {"x": "d"}]}],
        "session_id": 5,
        "ada@example.com": 1,
    }
    assert Redactor().value(value) == {
        "AUTH_TOKEN_SECRET": "[redacted]",
        "IMPORT_READER_KEY": "[redacted]",
        "nested": [{"refresh_token": "[redacted]"}],
        "session_id": "[redacted]",
        "[e-mail]": 1,
    }


def test_what_explains_a_failure_stays() -> None:
    line = {
        "event": "call_failed",
        "code": "not_found",
        "state": "waiting",
        "account_id": "acc_aef13c3e216e61986de63859",
        "key_id": "key_5f2c9a1be07d4638",
        "import_id": "imp_b5fde0dbb3fb76f0289b2c6c",
        "request_id": "4f2c9a1be07d4638",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "grpc_token_file": "/run/secrets/grpc_token",
        "timestamp": "2026-11-23T09:01:02.123456Z",
        "fields": "sponsor",
        "compass": "north",
        "arguments": ["--wait", "60", "--reason", "a trial"],
        "hint": "the footprint: 3 MB; pass the option; password authentication failed for user",
        "jsonrpc": {"code": -32602},
        "channel": "UCBR8-60-B28hp2BmDPdntcQ",
        "ok": True,
    }
    redactor = Redactor()
    assert json.loads(redactor.log(json.dumps(line))) == line
    metric = 'sponsorgraph_database_connections_in_use{pool="catalog"} 4.0\n# HELP process_cpu_seconds_total Total user'
    assert redactor.log(metric) == metric
    lines = 'Enter the password:\n{"event": "started"}'
    assert redactor.log(lines) == lines
    assert redactor.counts == {}


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("AUTH_GRPC_TOKEN", True),
        ("AUTH_GRPC_TOKEN_FILE", False),
        ("AUTH_SMTP_PASSWORD", True),
        ("IMPORT_YOUTUBE_API_KEY", True),
        ("GATEWAY_SESSION_SECRET", True),
        ("AUTH_STRIPE_SECRET_KEY", True),
        ("AUTH_GOOGLE_CLIENT_ID", False),
        ("GATEWAY_GRPC_TLS_FOLDER", False),
        ("GATEWAY_CREDENTIAL_TTL_SECONDS", False),
    ],
)
def test_settings_with_secrets_are_known_by_their_names(name: str, is_secret: bool) -> None:  # noqa: FBT001
    assert is_secret_name(name) == is_secret

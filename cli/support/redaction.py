"""Take secrets out of texts: by value where they are known, by the name that they stand under, and by shape.

What is doubtful is taken out. Ids of requests, traces, accounts and keys stay: without them logs are of no use.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, cast
from urllib.parse import quote

_LEAST_SECRET: Final = 6
"""Shorter values are left to their names: to take out every "on" would leave no text."""

_LEAST_PREFIX: Final = 12
"""Logs cut values off: of a known one so many characters from its begin are taken out, too."""

_SECRET_NAME: Final = re.compile(
    r"(?i)secret|token|passw|passphrase|credential|private|cookie|authorization|api[_-]?key|signature|csrf"
    r"|otp|recovery|verifier|session_id|dsn$|[_-]key$|^key$|(?<![a-z])p(?:wd|ass|in)$"
)
_HARMLESS_NAME: Final = re.compile(
    r"(?i)_id$|_file$|_folder$|_seconds$|_days$|_hours$|_port$|^key_id$"
)
_CODE_NAME: Final = re.compile(r"(?i)^(?:code|state|otp|pin)$")
_PLAIN_CODE: Final = re.compile(r"[a-z][a-z_]{0,40}|[A-Z][A-Z_]{0,40}|-?\d{1,3}|-32\d{3}")
"""Codes of errors and names of states, not those of logins, which stand under the same names."""
_HARMLESS_SECRET_NAME: Final = re.compile(r"(?i)session_id$")

_PEM: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PARAMETERS|CERTIFICATE)-----"
    r"[^-]{0,20000}(?:-----END [A-Z0-9 ]{0,40}-----)?"
)
_PEM_REST: Final = re.compile(
    r"(?m)(?<![^\n])(?:[A-Za-z0-9+/=]{1,80}\r?\n){1,400}-----END [A-Z0-9 ]{0,40}-----"
)
_BASE64_LINE: Final = re.compile(r"(?m)^[ \t]{0,8}[A-Za-z0-9+/]{40,100}={0,2}[ \t]{0,8}\r?$")
_URL_USER: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,20}://)[^\s/@\"'<>]{1,400}@"
)
_URL_QUERY: Final = re.compile(
    r"(?i)([?&#;](?:[\w.-]{0,40}(?:token|secret|password|key|signature|assertion|verifier|challenge|otp)"
    r"|code|state|sig|csrf|ticket|request|request_uri|nonce|session|auth)=)[^&#\s\"'<>;]{1,4000}"
)
_CREDENTIAL: Final = re.compile(
    r"(?i)\b(bearer|basic|dpop|digest)[ \t]{1,4}[A-Za-z0-9._~+/=:-]{4,4000}"
)
_WORDS: Final = (
    r"(?:secret|token|passw(?:or)?d|passphrase|pgpass|(?<![a-z])(?:pass|pwd|t?otp|pin)(?![a-z])|recovery[_-]?codes?"
    r"|verifier|api[_-]?key|private[_-]?key|credentials?|authorization|cookie|access[_-]?key|client[_-]?key|csrf)"
)
_NAME: Final = rf"(?<![A-Za-z0-9])[\w-]{{0,60}}{_WORDS}[\w-]{{0,40}}"
_VALUE: Final = (
    r"(?:\"(?:[^\"\\\n]|\\.){0,4000}|'(?:[^'\\\n]|\\.){0,4000}"
    r"|\\\"(?:[^\"\\\n]|\\\\(?:\\\")?|\\[^\"\\\n]){0,4000}|\\'[^'\\\n]{0,4000}"
    r"|[^\s\"'\\,;&}\]\[][^\s\"',;&}\]]{0,4000})"
)
"""In quotes, of which some inside may be escaped; in quotes that are escaped themselves; or one word."""

_NAMED: Final = re.compile(rf"(?i)({_NAME}[\\\"']{{0,4}}[ \t]{{0,4}}[:=][ \t]{{0,4}}){_VALUE}")
_NAMED_OPTION: Final = re.compile(
    rf"(?i)(--?{_NAME}[\\\"']{{0,4}}(?:,[ \t]{{0,4}}|[ \t]{{1,4}}))"
    r"(?:\\?\"[^\"\\\n]{0,400}|\\?'[^'\\\n]{0,400}|[^\s\"'\\,;&}\]\[][^\s\"',;&}\]]{0,400})"
)
_NAMED_BELOW: Final = re.compile(
    rf"(?i)({_NAME}[\\\"']{{0,4}}[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:\r?\n[ \t]{{0,40}}){{1,3}})(?!\{{\")[^\s{{][^\n]{{0,4000}}"
)
"""A value on the line after its name; a log's next line, of JSON, is none."""

_SQL_PASSWORD: Final = re.compile(
    r"(?i)\b(passw(?:or)?d[ \t]{1,4}(?:e|u&)?)(?:'(?:[^'\n]|''){0,400}'?|\"[^\"\n]{1,400}\"?)"
)
_NAMED_LINE: Final = re.compile(
    r"(?i)(?<![A-Za-z0-9])([\w-]{0,60}(?:passw(?:or)?d|passphrase|authorization|cookie)[\w-]{0,40}[ \t]{0,4}[:=][ \t]{0,4})"
    r"[^\s\"'\[][^\n\"'}\]]{0,4000}"
)
"""Passwords of several words, and headers, which go on to the end of their line."""

_API_KEY: Final = re.compile(r"(?<![A-Za-z0-9])mcp_[A-Za-z0-9]{8,200}")
_PROVIDER_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|rk|pk)_(?:live|test)_|whsec_|gh[opsur]_|github_pat_|glpat-|GOCSPX-|AIza|AKIA|ASIA|xox[abprs]-"
    r"|sk-|npm_|pypi-|AGE-SECRET-KEY-)[A-Za-z0-9_-]{8,400}"
)
_JWT: Final = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{2,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"
)
_PASSWORD_HASH: Final = re.compile(
    r"(?:\$(?:argon2\w{0,3}|2[aby]|scrypt|pbkdf2[\w-]{0,20}|[156])|SCRAM-SHA-256)\$[^\s\"')]{8,600}"
)
_LONG: Final = re.compile(r"(?<![A-Za-z0-9_+-])[A-Za-z0-9_+-]{32,4000}={0,2}")
_EMAIL: Final = re.compile(
    r"(?:(?<![\w.!#$%&*+/=?^`{|}~-])[\w.!#$%&*+/=?^`{|}~-]{1,64}|\"(?:[^\"\\\n]|\\.){1,64}\"|\\\"[^\"\\\n]{1,64}\\\")"
    r"(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
)

_IDENTIFIER_FIELDS: Final = frozenset({"request_id", "trace_id", "error_id"})
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_TRACE_DIGITS: Final = 32


class Redactor:
    """Takes secrets out of texts and counts them by kind; `known` are values that are secret wherever they stand."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        values = {value for value in known if len(value) >= _LEAST_SECRET}
        forms = {
            form
            for value in values
            for form in (value, quote(value, safe=""), json.dumps(value)[1:-1])
        }
        self._known = sorted(forms, key=len, reverse=True)
        self.counts: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """Return a text of any form without its secrets."""
        for value in self._known:
            if value in text:
                self.counts["known value"] += text.count(value)
                text = text.replace(value, "[redacted]")
            text = self._without_prefixes(text, value)
        for kind, pattern, shown in _SHAPES:
            text, number = pattern.subn(shown, text)
            if number:
                self.counts[kind] += number
        return _LONG.sub(self._random, text)

    def log(self, text: str) -> str:
        """Return a log: each line of JSON by its fields, other lines as text."""
        for kind, pattern, shown in _OF_SEVERAL_LINES:
            text, number = pattern.subn(shown, text)
            if number:
                self.counts[kind] += number
        return "\n".join(self._line(line) for line in text.split("\n"))

    def value(self, value: Any, name: str = "") -> Any:
        """Return a value of JSON; what stands under a secret's name is taken out whole."""
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return {self.text(str(key)): self.value(item, str(key)) for key, item in items}
        if isinstance(value, (list, tuple)):
            return self._list(cast("Sequence[Any]", value), name)
        if value not in (None, "", True, False) and (
            is_secret_name(name) or _is_login_code(name, value)
        ):
            self.counts["secret's name"] += 1
            return "[redacted]"
        if not isinstance(value, str):
            return value
        return value if name in _IDENTIFIER_FIELDS and _is_id(value) else self.text(value)

    def _list(self, items: Sequence[Any], name: str) -> list[Any]:
        """Return a list; in a command's arguments a value follows the option that it is for."""
        found: list[Any] = []
        before = name
        for item in items:
            found.append(self.value(item, before))
            is_option = isinstance(item, str) and item.startswith("-") and "=" not in item
            before = item.lstrip("-").replace("-", "_") if is_option else name
        return found

    def _without_prefixes(self, text: str, value: str) -> str:
        prefix = value[:_LEAST_PREFIX]
        if len(value) <= _LEAST_PREFIX or "://" in value or prefix not in text:
            return text
        shown, end = "", 0
        while (start := text.find(prefix, end)) >= 0:
            shown += f"{text[end:start]}[redacted]"
            pairs = zip(value, text[start : start + len(value)], strict=False)
            end = start + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self.counts["known value"] += 1
        return shown + text[end:]

    def _line(self, line: str) -> str:
        try:
            value: object = json.loads(line) if line.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            value = None
        if value is None:
            return self.text(line)
        return json.dumps(self.value(value), ensure_ascii=False)

    def _random(self, match: re.Match[str]) -> str:
        found = match.group()
        if not _looks_random(found):
            return found
        self.counts["random text"] += 1
        return "[redacted]"


def is_secret_name(name: str) -> bool:
    """Return whether a setting or field of this name holds a secret."""
    if _SECRET_NAME.search(name) is None:
        return False
    return _HARMLESS_NAME.search(name) is None or _HARMLESS_SECRET_NAME.search(name) is not None


def _is_login_code(name: str, value: object) -> bool:
    return _CODE_NAME.search(name) is not None and _PLAIN_CODE.fullmatch(str(value)) is None


def _is_id(value: str) -> bool:
    return len(value) <= _TRACE_DIGITS and set(value) <= _HEX


def _looks_random(text: str) -> bool:
    """Return whether a long text is made by chance: of all kinds of letters, or of hexadecimal digits."""
    if set(text) <= _HEX:
        return len(text) != _TRACE_DIGITS  # as long as the id of a trace
    kinds: tuple[Callable[[str], bool], ...] = (str.isupper, str.islower, str.isdigit)
    return all(any(is_kind(letter) for letter in text) for is_kind in kinds)


_OF_SEVERAL_LINES: Final = (
    ("private key or certificate", _PEM, "[redacted PEM]"),
    ("private key or certificate", _PEM_REST, "[redacted PEM]"),
    ("private key or certificate", _BASE64_LINE, "[redacted]"),
    ("secret's name", _NAMED_BELOW, r"\1[redacted]"),
)
_SHAPES: Final = (
    *_OF_SEVERAL_LINES,
    ("password in a URL", _URL_USER, r"\1[redacted]@"),
    ("secret in a URL", _URL_QUERY, r"\1[redacted]"),
    ("token", _CREDENTIAL, r"\1 [redacted]"),
    ("API key", _API_KEY, "mcp_[redacted]"),
    ("provider's key", _PROVIDER_KEY, "[redacted]"),
    ("token", _JWT, "[redacted]"),
    ("password hash", _PASSWORD_HASH, "[redacted]"),
    ("e-mail address", _EMAIL, "[e-mail]"),
    ("secret's name", _NAMED_LINE, r"\1[redacted]"),
    ("secret's name", _NAMED, r"\1[redacted]"),
    ("secret's name", _NAMED_OPTION, r"\1[redacted]"),
    ("secret's name", _SQL_PASSWORD, r"\1[redacted]"),
)

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

from cli.support.patterns import OF_SEVERAL_LINES, SHAPES, Shape

_LEAST_SECRET: Final = 6
"""Shorter values are left to their names: to take out every "on" would leave no text."""

_LEAST_PREFIX: Final = 12
"""Logs cut values off: of a known one so many characters from its begin are taken out, too."""

_SECRET_NAME: Final = re.compile(
    r"(?i)secret|token|passw|passphrase|credential|private|cookie|authorization|api[_-]?key|signature|csrf"
    r"|otp|recovery|verifier|sess(?:ion)?[_-]?id|dsn$|[_-]key$|^key$|(?<![a-z])p(?:wd|ass|in|w)$|^session$"
    r"|(?<![a-z])creds?$|(?:user|device)[_-]?code"
)
_HARMLESS_NAME: Final = re.compile(
    r"(?i)_id$|_file$|_folder$|_seconds$|_days$|_hours$|_port$|^key_id$"
)
_CODE_NAME: Final = re.compile(r"(?i)^(?:code|state|otp|pin)$")
_PLAIN_CODE: Final = re.compile(r"[a-z][a-z_]{0,40}|[A-Z][A-Z_]{0,40}|-?\d{1,3}|-32\d{3}")
"""Codes of errors and names of states, not those of logins, which stand under the same names."""
_HARMLESS_SECRET_NAME: Final = re.compile(r"(?i)session_id$")
_LABELS: Final = ("name", "key", "header", "field", "variable", "option", "setting")
_CONTENTS: Final = frozenset({"value", "values", "val", "content", "data"})
_PRIVATE_JWK: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "k", "oth"})
_ANSI: Final = re.compile(r"(?:\x1b|\\x1b|\\u001b|\\033)\[[0-9;?]{0,20}[A-Za-z]")
"""Colours, which stand between names and values."""

_PLAIN_NAME: Final = re.compile(r"[A-Za-z][\w.-]{0,60}")

_LONG: Final = re.compile(r"(?<![A-Za-z0-9_+-])[A-Za-z0-9_+-]{32,4000}={0,2}")
_IDENTIFIER_FIELDS: Final = frozenset({"request_id", "trace_id", "error_id"})
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_TRACE_DIGITS: Final = 32
_LONG_PIECE: Final = 32
_PAIR: Final = 2
_UUID: Final = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SEPARATOR: Final = re.compile(r"[_+-]")


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
        text = _ANSI.sub("", text)
        for value in self._known:
            if value in text:
                self.counts["known value"] += text.count(value)
                text = text.replace(value, "[redacted]")
            text = self._without_prefixes(text, value)
        text = self._without(SHAPES, text)
        return _LONG.sub(self._random, text)

    def log(self, text: str) -> str:
        """Return a log: each line of JSON by its fields, other lines as text."""
        text = _ANSI.sub("", text)
        text = self._without(OF_SEVERAL_LINES, text)
        return "\n".join(self._line(line) for line in text.split("\n"))

    def value(self, value: Any, name: str = "") -> Any:
        """Return a value of JSON; what stands under a secret's name is taken out whole."""
        if value not in (None, "", True, False, [], {}) and (
            is_secret_name(name) or _is_login_code(name, value)
        ):
            return self._taken_out()
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[Any, Any]", value))
        if isinstance(value, (list, tuple)):
            return self._list(cast("Sequence[Any]", value), name)
        if not isinstance(value, str):
            return value
        return value if name in _IDENTIFIER_FIELDS and _is_id(value) else self.text(value)

    def _without(self, shapes: Iterable[Shape], text: str) -> str:
        small = text.lower()
        for shape in shapes:
            if shape.parts and not any(part in small for part in shape.parts):
                continue
            text, number = shape.pattern.subn(shape.shown, text)
            if number:
                self.counts[shape.kind] += number
        return text

    def _taken_out(self) -> str:
        self.counts["secret's name"] += 1
        return "[redacted]"

    def _mapping(self, items: Mapping[Any, Any]) -> dict[str, Any]:
        """Return a mapping; where one field names another one, by that name, and private keys of JSON without their numbers."""
        labels = (items.get(label) for label in _LABELS)
        hidden = _CONTENTS if any(map(_names_a_secret, labels)) else frozenset[str]()
        if "kty" in items:
            hidden |= _PRIVATE_JWK
        return {
            self.text(str(key)): self._taken_out()
            if str(key) in hidden
            else self._labelled(str(key), item)
            for key, item in items.items()
        }

    def _labelled(self, key: str, item: Any) -> Any:
        """Return a field; the name of another one, under `key`, is no secret itself."""
        return (
            self.text(item) if key in _LABELS and _names_a_secret(item) else self.value(item, key)
        )

    def _list(self, items: Sequence[Any], name: str) -> list[Any]:
        """Return a list; in a command's arguments a value follows the option that it is for, in a pair its name."""
        found: list[Any] = []
        before = name
        is_pair = len(items) == _PAIR and _names_a_secret(items[0])
        for item in items:
            found.append(self.value(item, before))
            is_option = isinstance(item, str) and item.startswith("-") and "=" not in item
            is_name = is_option or (is_pair and len(found) == 1)
            before = item.lstrip("-").replace("-", "_") if is_name else name
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


def _names_a_secret(value: object) -> bool:
    """Return whether a value is the name of a secret."""
    return (
        isinstance(value, str)
        and _PLAIN_NAME.fullmatch(value) is not None
        and is_secret_name(value)
    )


def _is_login_code(name: str, value: object) -> bool:
    if isinstance(value, (Mapping, list, tuple)):
        return False
    return _CODE_NAME.search(name) is not None and _PLAIN_CODE.fullmatch(str(value)) is None


def _is_id(value: str) -> bool:
    return len(value) <= _TRACE_DIGITS and set(value) <= _HEX


def _looks_random(text: str) -> bool:
    """Return whether a long text is made by chance: of all kinds of letters, or in one piece of letters and digits."""
    if _UUID.fullmatch(text):
        return False
    kinds: tuple[Callable[[str], bool], ...] = (str.isupper, str.islower, str.isdigit)
    if not set(text) <= _HEX and all(any(map(is_kind, text)) for is_kind in kinds):
        return True
    return any(_is_random_piece(piece) for piece in _SEPARATOR.split(text))


def _is_random_piece(piece: str) -> bool:
    if set(piece) <= _HEX:
        return len(piece) > _TRACE_DIGITS  # longer than the id of a trace
    return (
        len(piece) >= _LONG_PIECE and any(map(str.isdigit, piece)) and any(map(str.isalpha, piece))
    )

"""The shapes of secrets in texts: after their names, in statements and commands, and by themselves."""

import re
from dataclasses import dataclass
from typing import Final

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
_NAME_END: Final = rf"{_WORDS}[\w-]{{0,40}}"
"""From its telling word on: what stands before that stays in any case, and to look for its begin takes time."""

_NAME: Final = rf"(?<![A-Za-z0-9])[\w-]{{0,60}}{_NAME_END}"
_VALUE: Final = (
    r"(?!\[redacted)(?:\[[^\]\n]{0,4000}|\([^)\n]{0,4000}|\{[^}\n]{0,4000}|<[^>\n]{1,400}"
    r"|b?\"(?:[^\"\\\n]|\\.){0,4000}|b?'(?:[^'\\\n]|\\.){0,4000}"
    r"|\\\"(?:[^\"\\\n]|\\\\(?:\\\")?|\\[^\"\\\n]){0,4000}|\\'[^'\\\n]{0,4000}"
    r"|[^\s\"'\\,;&}\]\[][^\s\"',;&}\]]{0,4000})"
)
"""In brackets; in quotes, of which some inside may be escaped; in quotes that are escaped themselves; or one word."""

_QUOTES: Final = r"[\\\"']{0,4}"
_EXACT_WORDS: Final = r"(?:key|session|pw|creds?|(?:user|device)[_-]?code)"
_EXACT_END: Final = rf"(?:(?<![A-Za-z0-9]){_EXACT_WORDS}|sess(?:ion)?[_-]?id)(?![A-Za-z0-9_-])"
"""Names that are too common as parts of others."""

_ANY_NAME: Final = rf"(?:{_NAME}|(?<![A-Za-z0-9])[\w-]{{0,60}}{_EXACT_END})"
_LABEL: Final = r"(?<![A-Za-z0-9])(?:name|key|header|field|variable|option|setting)"
_CONTENT: Final = r"(?<![A-Za-z0-9])(?:value|val|content|data)"
_IS: Final = rf"{_QUOTES}[ \t]{{0,4}}[:=][ \t]{{0,4}}"
_NEXT: Final = rf"{_QUOTES}[ \t]{{0,4}}[,;]?\s{{0,40}}{_QUOTES}"

_NAMED_EXACTLY: Final = re.compile(
    rf"(?i)({_EXACT_END}{_QUOTES}[ \t]{{0,4}}(?:=[ \t]{{0,4}}|:[ \t]{{0,4}})){_VALUE}"
)
_PAIR: Final = re.compile(
    rf"(?i)([\[({{][ \t]{{0,4}}b?{_QUOTES}{_ANY_NAME}{_QUOTES}[ \t]{{0,4}},[ \t]{{0,4}}){_VALUE}"
)
"""A pair as Python shows it: `(b'x-api-key', b'…')`."""

_LABELLED: Final = re.compile(
    rf"(?i)({_LABEL}{_IS}{_QUOTES}{_ANY_NAME}{_NEXT}{_CONTENT}{_IS}){_VALUE}"
)
_LABELLED_AFTER: Final = re.compile(
    rf"(?i)({_CONTENT}{_IS}){_VALUE}(?={_NEXT}{_LABEL}{_IS}{_QUOTES}{_ANY_NAME})"
)
"""Name and value that stand apart: `{name: password, value: …}`, over two lines in YAML."""

_ELEMENT: Final = re.compile(rf"(?i)(<{_ANY_NAME}(?:\s[^<>]{{0,200}})?>)[^<]{{1,4000}}")
_BLOCK: Final = re.compile(
    rf"(?i)((?:{_NAME_END}|{_EXACT_END}){_QUOTES}[ \t]{{0,4}}:[ \t]{{0,4}}[|>][+-]?\d?[ \t]{{0,8}}\r?\n)"
    r"(?:[ \t][^\n]{0,4000}\n?){1,200}"
)
"""The indented lines of a block of YAML."""

_ENCODED: Final = re.compile(
    rf"(?i)((?:{_NAME_END}|{_EXACT_WORDS}|sess(?:ion)?[_-]?id|code|state|sig|signature)%(?:25){{0,3}}3D)"
    r"(?:%(?!(?:25){0,3}26)[0-9A-Fa-f]{2}|[^\s%&\"'<>]){1,4000}"
)
"""In a URL that is itself a parameter of one."""

_NAMED: Final = re.compile(rf"(?i)({_NAME_END}[\\\"']{{0,4}}[ \t]{{0,4}}[:=][ \t]{{0,4}}){_VALUE}")
_NAMED_OPTION: Final = re.compile(
    rf"(?i)(--?{_NAME}[\\\"']{{0,4}}(?:,[ \t]{{0,4}}|[ \t]{{1,4}}))"
    r"(?:b?\\?\"[^\"\\\n]{0,400}|b?\\?'[^'\\\n]{0,400}|[^\s\"'\\,;&}\]\[][^\s\"',;&}\]]{0,400})"
)
_NAMED_BELOW: Final = re.compile(
    rf"(?i)({_NAME_END}[\\\"']{{0,4}}[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:\r?\n[ \t]{{0,40}}){{1,3}})(?!\{{\")[^\s{{][^\n]{{0,4000}}"
)
"""A value on the line after its name; a log's next line, of JSON, is none."""

_SQL_PASSWORD: Final = re.compile(
    r"(?i)\b((?:passw(?:or)?d|identified[ \t]{1,4}by(?:[ \t]{1,4}password)?)[ \t]{1,4}(?:e|u&)?)"
    r"(?:'(?:[^'\n]|''){0,400}'?|\"[^\"\n]{1,400}\"?|\$\w{0,40}\$[^$\n]{0,400}(?:\$\w{0,40}\$)?)"
)
_SQL_KEY: Final = re.compile(
    r"(?i)(\bKey \([^()\n]{0,100}(?:token|hash|secret|key|sha256|digest|hmac|passw|code|verifier)[^()\n]{0,100}\)=)"
    r"\([^\n)]{0,4000}\)?"
)
"""The detail of Postgres' errors of uniqueness and references."""

_BYTES: Final = re.compile(r"\\{1,2}x[0-9A-Fa-f]{16,8000}")
_VALKEY: Final = re.compile(
    r"(?i)\b((?:requirepass|masterauth|primaryauth)[\\\"' \t:=]{1,8}|setuser[\\\"' \t]{1,8}[^\s\"'\\]{1,100}[\\\"' \t]{1,8}"
    r"|(?<![\w-])user[ \t]{1,4}\S{1,100}[ \t]{1,4}(?:on|off)[ \t]{1,4})[^\n]{1,4000}"
)
_VALKEY_LOGIN: Final = re.compile(
    r"(?:(?<![\w-])(AUTH)(?![\w-])|(?i:\"(auth)\"))(?:[ \t]{1,4}\"?[^\s\"]{1,400}\"?){1,2}"
)
_COMMAND_USER: Final = re.compile(
    r"((?<![\w-])(?:-[uU]|--(?:proxy-)?user)(?:[\"']?,)?[ \t=]{0,4}[\"']?[^\s:\"'/@]{1,100}:)[^\s\"']{1,400}"
)
"""As curl takes them: `-u name:password`."""

_PATH: Final = re.compile(
    r"(?i)(/(?:reset|reset-password|password-reset|confirm|verify|verification|activate|invites?|invitations?|unsubscribe|magic"
    r"|login-link)/)[^\s/?#\"'<>\\]{4,400}"
)
_HOOK: Final = re.compile(
    r"(?i)(hooks\.slack\.com/[a-z]{1,20}/|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/)[^\s\"'<>\\]{1,400}"
)
_JWK: Final = re.compile(
    r"((?:\\?[\"'])(?:d|p|q|dp|dq|qi|k)\\?[\"'][ \t]{0,4}:[ \t]{0,4}\\?[\"'])[A-Za-z0-9_+/=-]{8,4000}"
)
_BASE32: Final = re.compile(
    r"(?<![A-Za-z0-9_=/+-])(?=[A-Z]{0,64}[2-7][A-Z2-7]|[A-Z2-7]{32})[A-Z2-7]{16,400}={0,6}(?![A-Za-z0-9_])"
)
"""As authenticators take their secrets; shorter words without a digit are words."""
_NAMED_LINE: Final = re.compile(
    r"(?i)((?:passw(?:or)?d|passphrase|authorization|cookie)[\w-]{0,40}[ \t]{0,4}[:=][ \t]{0,4})"
    r"[^\s\"'\[][^\n\"'}\]]{0,4000}"
)
"""Passwords of several words, and headers, which go on to the end of their line."""

_API_KEY: Final = re.compile(r"(?<![A-Za-z0-9])mcp_[A-Za-z0-9]{8,200}")
_PROVIDER_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|rk|pk)_(?:live|test)_|whsec_|gh[opsur]_|github_pat_|glpat-|GOCSPX-|AIza|AKIA|ASIA|xox[abprs]-"
    r"|sk-|npm_|pypi-|AGE-SECRET-KEY-|do[opr]_v1_|ya29\.|SG\.|shp(?:at|ss|ca|pa)_|hf_)[A-Za-z0-9_.-]{8,400}"
)
_JWT: Final = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{2,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"
)
_PASSWORD_HASH: Final = re.compile(
    r"(?:\$(?:argon2\w{0,3}|2[aby]|scrypt|pbkdf2[\w-]{0,20}|[156])|SCRAM-SHA-256)\$[^\s\"')]{8,600}"
)
_EMAIL: Final = re.compile(
    r"(?:(?<![\w.!#$%&*+/=?^`{|}~-])[\w.!#$%&*+/=?^`{|}~-]{1,64}|\"(?:[^\"\\\n]|\\.){1,64}\"|\\\"[^\"\\\n]{1,64}\\\")"
    r"(?:@|%(?:25){0,3}40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
)

_NAME_PARTS: Final = (
    "secret", "token", "pass", "pwd", "otp", "pin", "recovery", "verifier", "key", "credential", "authorization", "cookie", "csrf",
)  # fmt: skip
_EXACT_PARTS: Final = ("key", "sess", "pw", "cred", "code")


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of secrets.

    Attributes:
        kind: For the counts.
        pattern: What is taken out.
        shown: What takes its place.
        parts: In small letters; a text without any of them has none of this shape, which is quicker to see. Empty: none is needed.
    """

    kind: str
    pattern: re.Pattern[str]
    shown: str
    parts: tuple[str, ...]


OF_SEVERAL_LINES: Final = (
    Shape("private key or certificate", _PEM, "[redacted PEM]", ("-----",)),
    Shape("private key or certificate", _PEM_REST, "[redacted PEM]", ("-----end",)),
    Shape("private key or certificate", _BASE64_LINE, "[redacted]", ()),
    Shape("secret's name", _BLOCK, r"\1[redacted]\n", ("|", ">")),
    Shape("secret's name", _LABELLED, r"\1[redacted]", ("val", "content", "data")),
    Shape("secret's name", _LABELLED_AFTER, r"\1[redacted]", ("val", "content", "data")),
    Shape("secret's name", _NAMED_BELOW, r"\1[redacted]", _NAME_PARTS),
)
SHAPES: Final = (
    *OF_SEVERAL_LINES,
    Shape("secret in a URL", _ENCODED, r"\1[redacted]", ("3d",)),
    Shape("secret in a URL", _HOOK, r"\1[redacted]", ("hook",)),
    Shape("password in a URL", _URL_USER, r"\1[redacted]@", ("://",)),
    Shape("secret in a URL", _URL_QUERY, r"\1[redacted]", ("=",)),
    Shape("token", _CREDENTIAL, r"\1 [redacted]", ("bearer", "basic", "dpop", "digest")),
    Shape("API key", _API_KEY, "mcp_[redacted]", ("mcp_",)),
    Shape("provider's key", _PROVIDER_KEY, "[redacted]", ()),
    Shape("token", _JWT, "[redacted]", ("eyj",)),
    Shape("password hash", _PASSWORD_HASH, "[redacted]", ("$",)),
    Shape("e-mail address", _EMAIL, "[e-mail]", ("@", "40")),
    Shape("secret's name", _PAIR, r"\1[redacted]", ("(", "[", "{")),
    Shape("secret's name", _NAMED_LINE, r"\1[redacted]", ("pass", "authorization", "cookie")),
    Shape("secret's name", _NAMED, r"\1[redacted]", _NAME_PARTS),
    Shape("secret's name", _NAMED_OPTION, r"\1[redacted]", ("-",)),
    Shape("secret's name", _NAMED_EXACTLY, r"\1[redacted]", _EXACT_PARTS),
    Shape("secret's name", _ELEMENT, r"\1[redacted]", ("<",)),
    Shape("secret's name", _SQL_PASSWORD, r"\1[redacted]", ("passw", "identified")),
    Shape("secret of a statement", _SQL_KEY, r"\1[redacted]", ("key (",)),
    Shape("secret of a statement", _BYTES, "[redacted]", ("\\x",)),
    Shape(
        "secret of a statement",
        _VALKEY,
        r"\1[redacted]",
        ("requirepass", "masterauth", "primaryauth", "user"),
    ),
    Shape("secret of a statement", _VALKEY_LOGIN, r"\1\2 [redacted]", ("auth",)),
    Shape("secret of a command", _COMMAND_USER, r"\1[redacted]", ("-u", "--proxy-user")),
    Shape("secret in a URL", _PATH, r"\1[redacted]", ("/",)),
    Shape("private key or certificate", _JWK, r"\1[redacted]", (":",)),
    Shape("random text", _BASE32, "[redacted]", ()),
)

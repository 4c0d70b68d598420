"""SQL as words: enough to see what a migration's statement does, without comments and texts."""

from collections.abc import Iterator
from typing import Final

_ENDS: Final = {"'": "'", '"': '"'}
_TEXT: Final = "''"


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, without the semicolons between them."""
    begin = 0
    for position, word in _tokens(script):
        if word == ";":
            if script[begin:position].strip():
                yield script[begin:position].strip()
            begin = position + 1
    if script[begin:].strip():
        yield script[begin:].strip()


def words(statement: str) -> list[str]:
    """Return words and signs: keywords and names in lower case, each text as `''`."""
    return [word for _, word in _tokens(statement)]


def split(tokens: list[str], separator: str) -> list[list[str]]:
    """Split at the separators that are in no parentheses."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in tokens:
        depth += (word == "(") - (word == ")")
        if word == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _tokens(sql: str) -> Iterator[tuple[int, str]]:
    position = 0
    while position < len(sql):
        if (after := _after_comment(sql, position)) > position or sql[position].isspace():
            position = max(after, position + 1)
            continue
        end, word = _token(sql, position)
        yield position, word
        position = end


def _after_comment(sql: str, position: int) -> int:
    for opening, closing in (("--", "\n"), ("/*", "*/")):
        if sql.startswith(opening, position):
            return _after(sql, closing, position + 2)
    return position


def _token(sql: str, position: int) -> tuple[int, str]:
    sign = sql[position]
    if sign == "'":
        return _after_quote(sql, position), _TEXT
    if sign == '"':
        end = _after_quote(sql, position)
        return end, sql[position + 1 : end - 1]
    if sign == "$" and (tag := _dollar_tag(sql, position)):
        return _after(sql, tag, position + len(tag)), _TEXT
    if sign.isalnum() or sign == "_":
        end = position
        while end < len(sql) and (sql[end].isalnum() or sql[end] in "_$"):
            end += 1
        return end, sql[position:end].lower()
    return position + 1, sign


def _after_quote(sql: str, position: int) -> int:
    """Return where a quoted text or name ends; a doubled quote is part of it."""
    quote = _ENDS[sql[position]]
    end = _after(sql, quote, position + 1)
    while sql.startswith(quote, end):
        end = _after(sql, quote, end + 1)
    return end


def _dollar_tag(sql: str, position: int) -> str:
    end = sql.find("$", position + 1)
    tag = sql[position : end + 1]
    return tag if end > 0 and (tag == "$$" or tag[1:-1].isidentifier()) else ""


def _after(sql: str, closing: str, position: int) -> int:
    found = sql.find(closing, position)
    return len(sql) if found < 0 else found + len(closing)

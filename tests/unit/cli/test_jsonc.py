"""Changes of JSON with comments: whatever the text is, they say what they should and lose nothing."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cli.agents.jsonc import JsonDocument

_NAMES = st.sampled_from(["a", "servers", "b c", "ü", '"', "//", "/*"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(_NAMES, _VALUES, max_size=4)
_INDENTS = st.sampled_from([None, 0, 2, "\t"])
_COMMENTS = ("// one, } ]\n", '/* two\n" { */', "")


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Any]:
    """Return a text with comments and spare commas, and what it says."""
    value = draw(_OBJECTS)
    return _written(draw, value, draw(st.booleans())), value


def _written(draw: st.DrawFn, value: Any, lines: bool) -> str:  # noqa: FBT001
    def gap() -> str:
        return draw(st.sampled_from(["", " ", "\n  ", "\r\n", *_COMMENTS]))

    kind = value.__class__
    if kind in (dict, list) and value:
        is_object = kind is dict
        names: list[str] = (
            [f"{json.dumps(key)}{gap()}:{gap()}" for key in value] if is_object else []
        )
        items: list[Any] = list(value.values()) if is_object else list(value)
        parts = [
            f"{gap()}{names[index] if names else ''}{_written(draw, item, lines)}{gap()}"
            for index, item in enumerate(items)
        ]
        spare = f",{gap()}" if draw(st.booleans()) else ""
        opening, closing = "{}" if is_object else "[]"
        return f"{opening}{','.join(parts)}{spare}{closing}"
    return json.dumps(value)


def comments_in(text: str) -> list[int]:
    return [text.count(comment.strip()) for comment in _COMMENTS if comment]


@given(texts())
def test_a_text_says_the_same_with_comments_and_spare_commas(written: tuple[str, Any]) -> None:
    text, value = written
    assert JsonDocument(text, comments=True).content() == value


@given(texts(), _NAMES, _VALUES)
def test_a_value_is_added_or_replaced_and_taken_out_again(
    written: tuple[str, Any], name: str, new: Any
) -> None:
    text, value = written
    document = JsonDocument(text, comments=True)
    changed = document.with_value((name,), new)
    assert changed.content() == {**value, name: new}
    assert changed.with_value((name,), new) == changed
    rest = {key: item for key, item in value.items() if key != name}
    assert changed.without((name,)).content() == rest
    if name not in value:
        before, after = comments_in(text), comments_in(changed.text)
        assert all(now >= then for now, then in zip(after, before, strict=True))


@given(_OBJECTS, _INDENTS, _NAMES, _VALUES)
def test_a_member_of_an_inner_object_is_changed_in_any_layout(
    value: dict[str, Any], indent: int | str | None, name: str, new: Any
) -> None:
    whole = {**value, "inner": {"first": 1}}
    document = JsonDocument(json.dumps(whole, indent=indent), comments=False)
    wanted = copy.deepcopy(whole)
    wanted["inner"][name] = new
    changed = document.with_value(("inner", name), new)
    assert json.loads(changed.text) == wanted
    assert json.loads(changed.without(("inner", name)).text) == whole
    assert json.loads(changed.without(("inner", "first")).text)["inner"] == {name: new}


def test_separators_that_python_takes_for_ends_of_lines_stay_in_their_text() -> None:
    text = "a\u2028b\u0085c\x0bd"
    changed = JsonDocument("{}", comments=False).with_value(("a", "b"), text)
    assert json.loads(changed.text) == {"a": {"b": text}}

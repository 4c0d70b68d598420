"""Charts have all of their bars, in proportion, on every width."""

import re

from hypothesis import given
from hypothesis import strategies as st

from auth_service.web.charts import columns, rows, ticks_to

_HEIGHTS = re.compile(r'class="bar" x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%" height="([\d.]+)"')


@given(st.integers(0, 10**12))
def test_an_axis_has_few_round_ticks_and_reaches_the_largest_value(largest: int) -> None:
    ticks = ticks_to(largest)
    step = ticks[1]
    assert 2 <= len(ticks) <= 5
    assert list(ticks) == [step * index for index in range(len(ticks))]
    assert ticks[-1] >= largest > ticks[-2] or (largest == 0 and len(ticks) == 2)
    assert re.fullmatch("[125]0*", str(step))


@given(st.lists(st.integers(0, 10_000), min_size=28, max_size=31))
def test_columns_are_within_the_width_and_as_high_as_their_values(values: list[int]) -> None:
    drawn = _HEIGHTS.findall(str(columns([(str(n), v) for n, v in enumerate(values)], "n", "u")))
    present = [value for value in values if value]
    assert len(drawn) == len(present)
    for (x, width, height), value in zip(drawn, present, strict=True):
        assert float(x) + float(width) <= 100
        assert abs(float(height) - value / ticks_to(max(values))[-1] * 150) < 0.06


def test_thirty_and_forty_look_different_and_both_axes_have_labels() -> None:
    chart = str(columns([("1 Nov", 30), ("2 Nov", 40)], "Requests by day", "Requests"))
    (_, _, thirty), (_, _, forty) = _HEIGHTS.findall(chart)
    assert (thirty, forty) == ("112.5", "150.0")
    assert ">Requests</text>" in chart
    assert ">Day (UTC)</text>" in chart
    assert ">1 Nov</text>" in chart
    assert ">40</text>" in chart


def test_rows_escape_their_labels_and_draw_nothing_below_zero() -> None:
    chart = str(rows([("<b>", 4), ("x", -2)], "Requests by tool", "Requests"))
    assert "&lt;b&gt;" in chart
    assert 'width="0.00%"' in chart
    assert ">-2</text>" in chart

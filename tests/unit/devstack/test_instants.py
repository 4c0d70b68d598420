"""Instants as operators type them."""

from datetime import UTC, datetime, timedelta

import pytest
import typer

from cli.commands._instants import instant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-12-31", "2026-12-31T00:00:00+00:00"),
        ("2026-12-31T10:00:00Z", "2026-12-31T10:00:00+00:00"),
        ("2026-12-31T10:00:00+02:00", "2026-12-31T10:00:00+02:00"),
    ],
)
def test_a_day_is_its_first_instant_in_utc(text: str, meant: str) -> None:
    assert instant(text, "--since", ahead=False) == meant


@pytest.mark.parametrize(
    ("ahead", "text", "length"),
    [(True, "30d", timedelta(days=30)), (False, "36h", -timedelta(hours=36))],
)
def test_a_span_leads_to_the_future_or_the_past(
    text: str, length: timedelta, *, ahead: bool
) -> None:
    found = datetime.fromisoformat(instant(text, "--since", ahead=ahead))
    assert abs(found - datetime.now(UTC) - length) < timedelta(minutes=1)


@pytest.mark.parametrize("text", ["yesterday", "", "3w", "d", "99999d", "2026-13-01"])
def test_anything_else_is_a_wrong_usage(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        instant(text, "--since", ahead=False)

"""Ports for the services of a home."""

import pytest

from devstack import ports


def test_a_free_port_is_chosen_once_before_anybody_listens_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = range(31_000, 31_040)
    monkeypatch.setattr(ports, "_FREE", few)
    monkeypatch.setattr(ports, "_chosen", set[int]())
    chosen = [ports.free_port() for _ in range(20)]
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= set(few)

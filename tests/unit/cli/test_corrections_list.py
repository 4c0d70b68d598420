"""What `sponsorgraph corrections list` prints."""

import json
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from cli.commands import corrections
from shapes.catalog.corrections import ReviewedReport
from tests.unit.cli.test_correction_labels import accepted


def test_a_list_leaves_out_what_is_read_for_a_single_report_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [accepted("missing", (), brand="Acme")]

    def reports(_state: str, _limit: int) -> list[ReviewedReport]:
        return found

    client = SimpleNamespace(reports=reports)
    monkeypatch.setattr(corrections, "corrections_client", lambda: client)
    result = CliRunner().invoke(corrections.app, ["list", "--json"])
    (listed,) = json.loads(result.output)
    assert listed["report"]["brand"] == "Acme"
    assert listed["decided_by"] == "operator-name"
    assert not {"others", "brand_sponsor"} & set(listed)

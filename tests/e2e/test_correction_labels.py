"""A report from the call to a label that the detector is measured by."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.e2e.channel_imports import import_stack
from tests.e2e.prepared_home import prepare_home
from tests.e2e.test_topics import KITCHEN

pytestmark = [pytest.mark.timeout(480, func_only=True)]


def test_accepted_reports_become_labels_of_the_texts_that_were_read(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="sponsorgraph-labels-") as folder,
        import_stack(prepare_home(tmp_path_factory, Path(folder) / "home")) as running,
    ):
        running.source.show(KITCHEN)
        begun = running.begin(KITCHEN.channel_id)
        assert running.until(begun["import_id"], "done", "failed")["state"] == "done"
        stack = running.stack
        listed = stack.tool_result("youtuber.recentVideos", {"youtuber": "@kitchen"})["videos"]
        sponsored = next(row for row in listed if row["sponsorships"])
        other = next(row for row in listed if not row["sponsorships"])
        of_sample = stack.tool_result("sponsor.recentVideos", {"sponsor": "nordvpn", "limit": 50})
        unread = next(row for row in of_sample["videos"] if row["youtuber"]["handle"] != "@kitchen")
        brand = sponsored["sponsorships"][0]["sponsor"]
        sent = [
            {"video": sponsored["video"]["id"], "kind": "wrong", "sponsor": brand["id"]},
            {"video": other["video"]["id"], "kind": "missing", "brand": "Acme Rockets"},
            {"video": unread["video"]["id"], "kind": "missing", "brand": "Acme Rockets"},
        ]
        for report in sent:
            number = stack.tool_result("sponsorship.report", {**report, "note": "a private note"})
            decided = stack.command("corrections", "accept", number["id"])
            assert decided.returncode == 0, decided.stderr
        file = Path(folder) / "labels.jsonl"
        written = stack.command("detect", "labels", "--out", str(file))
        assert written.returncode == 0, written.stderr
        assert "2 videos with 1 sponsors" in written.stderr
        assert "Of 1 videos with accepted reports no text is stored" in written.stderr
        content = file.read_bytes()
        lines = {line["id"]: line for line in map(json.loads, content.decode().splitlines())}
        assert list(lines) == sorted((sponsored["video"]["video_id"], other["video"]["video_id"]))
        wrong, missing = (lines[row["video"]["video_id"]] for row in (sponsored, other))
        assert brand["name"] not in [item["brand"] for item in wrong["sponsors"] + wrong["ignore"]]
        assert [item["brand"] for item in missing["sponsors"]] == ["Acme Rockets"]
        assert wrong["description"]
        assert b"a private note" not in content
        assert stack.command("detect", "labels", "--out", str(file)).returncode == 0
        assert file.read_bytes() == content
        measured = stack.command("detect", "evaluate", "--labels", str(file), "--json")
        assert measured.returncode == 0, measured.stderr
        assert json.loads(measured.stdout)

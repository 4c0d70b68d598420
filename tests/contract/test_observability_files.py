"""Rules and dashboards ask for metrics that the code has; their files are what their readers take."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import promql_parser
import pytest
import yaml
from prometheus_client import REGISTRY

from scripts import gen_dashboards, gen_metrics

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "deploy" / "observability"
RULES: Final = FOLDER / "prometheus" / "sponsorgraph.rules.yml"
RULE_TESTS: Final = ROOT / "tests" / "contract" / "rules" / "sponsorgraph.rules.test.yml"
RUNBOOKS: Final = ROOT / "docs" / "runbooks"
RUNBOOK_PARTS: Final = ("## Symptom", "## Query", "## Action", "## How it was tried")
SCRAPED: Final = frozenset({"job", "instance", "service"})
"""Labels that Prometheus adds."""

KNOWN: Final[dict[str, frozenset[str]]] = {
    "up": frozenset(),
    "process_resident_memory_bytes": frozenset(),
    **{
        name: labels
        for metric in gen_metrics.all_metrics()
        for name, labels in metric.series().items()
    },
}


def rules() -> list[dict[str, Any]]:
    return [
        rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
    ]


def recorded() -> dict[str, frozenset[str]]:
    return {rule["record"]: frozenset() for rule in rules() if "record" in rule}


def queries() -> Iterator[Any]:
    for rule in rules():
        yield pytest.param(rule["expr"], id=rule.get("alert") or rule["record"])
    for path in sorted((FOLDER / "grafana" / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel["targets"]:
                yield pytest.param(target["expr"], id=f"{path.stem}: {panel['title']}")


def selectors(node: Any) -> Iterator[Any]:
    """The vector selectors below a node of a parsed query."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
        return
    for name in ("expr", "lhs", "rhs", "vector_selector", "vs", "param"):
        child = getattr(node, name, None)
        if child is not None and not isinstance(child, str | float | int):
            yield from selectors(child)
    for child in getattr(node, "args", None) or ():
        yield from selectors(child)


def groupings(node: Any) -> Iterator[tuple[list[str], Any]]:
    """Labels that are grouped by, with what is grouped."""
    if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
        yield list(node.modifier.labels), node.expr
    for name in ("expr", "lhs", "rhs", "param"):
        child = getattr(node, name, None)
        if child is not None and not isinstance(child, str | float | int):
            yield from groupings(child)
    for child in getattr(node, "args", None) or ():
        yield from groupings(child)


def parsed(query: str) -> Any:
    return promql_parser.parse(query.replace("$__rate_interval", "5m"))


@pytest.mark.parametrize("query", list(queries()))
def test_a_query_names_existing_metrics(query: str) -> None:
    known = KNOWN | recorded()
    tree = parsed(query)
    found = list(selectors(tree))
    assert found or query == "vector(0)"
    for selector in found:
        assert selector.name in known, selector.name
        for matcher in selector.matchers.matchers:
            assert matcher.name in known[selector.name] | SCRAPED, (selector.name, matcher.name)
    for labels, inner in groupings(tree):
        for selector in selectors(inner):
            assert set(labels) <= known[selector.name] | SCRAPED, (selector.name, labels)


def test_the_search_finds_every_name() -> None:
    query = (
        'max(a) / sum by (x) (rate(b{c="d"}[5m])) + (histogram_quantile(0.9, sum by (le) '
        "(rate(e_bucket[5m]))) or vector(0)) > absent(f == 1)"
    )
    tree = parsed(query)
    assert {selector.name for selector in selectors(tree)} == {"a", "b", "e_bucket", "f"}
    assert [labels for labels, _ in groupings(tree)] == [["x"], ["le"]]


def test_every_metric_of_ours_is_on_the_page() -> None:
    declared = {metric.name for metric in gen_metrics.all_metrics()}
    ours = {family.name for family in REGISTRY.collect() if family.name.startswith("sponsorgraph_")}
    assert ours == declared
    assert gen_metrics.PAGE.read_text() == gen_metrics.page()


@pytest.mark.parametrize("name", gen_dashboards.DASHBOARDS)
def test_dashboards_are_fresh_and_overlap_nowhere(name: str) -> None:
    text = (gen_dashboards.FOLDER / f"{name}.json").read_text()
    assert text == gen_dashboards.dashboard(name)
    taken: set[tuple[int, int]] = set()
    for panel in json.loads(text)["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


def alerts() -> list[dict[str, Any]]:
    return [rule for rule in rules() if "alert" in rule]


def test_every_alert_says_what_to_do() -> None:
    operations = (ROOT / "docs" / "operations.md").read_text()
    for rule in alerts():
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")
        assert (ROOT / rule["annotations"]["runbook"]).exists()
        assert f"`{rule['alert']}`" in operations


@pytest.mark.parametrize("name", sorted({rule["alert"] for rule in alerts()}))
def test_a_runbook_has_symptom_query_action_and_how_it_was_tried(name: str) -> None:
    text = (RUNBOOKS / f"{name}.md").read_text()
    parts = [text.index(part) for part in RUNBOOK_PARTS]
    assert parts == sorted(parts)
    queries = re.findall(r"```promql\n(.+?)\n```", text, re.DOTALL)
    for query in queries:
        for selector in selectors(parsed(query)):
            assert selector.name in KNOWN | recorded(), selector.name
    assert queries
    for path in re.findall(r"`((?:tests|docs)/[\w./]+)`", text):
        assert (ROOT / path).exists(), path


def test_there_is_no_runbook_without_an_alert() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == {rule["alert"] for rule in alerts()}


def test_an_alert_that_something_is_gone_names_it() -> None:
    """`absent` of a comparison would drop the labels of what is compared."""
    assert [rule["alert"] for rule in alerts() if "absent(" in rule["expr"]] == []
    gone = [rule for rule in alerts() if rule["alert"] == "SponsorgraphServiceGone"]
    scraped = yaml.safe_load((FOLDER / "prometheus" / "prometheus.yml").read_text())
    names = {
        name
        for targets in scraped["scrape_configs"][0]["dns_sd_configs"]
        for name in targets["names"]
    }
    assert {rule["labels"]["service"] for rule in gone} == names
    assert all(f'service="{rule["labels"]["service"]}"' in rule["expr"] for rule in gone)


def test_every_alert_is_caused_once() -> None:
    caused = {
        (case["alertname"], expected["exp_labels"].get("service", ""))
        for test in yaml.safe_load(RULE_TESTS.read_text())["tests"]
        for case in test["alert_rule_test"]
        for expected in case["exp_alerts"]
    }
    wanted = {(rule["alert"], rule["labels"].get("service", "")) for rule in alerts()}
    assert {name for name, _ in wanted} <= {name for name, _ in caused}
    assert {item for item in wanted if item[1]} <= caused


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.y*ml")), ids=lambda path: path.name)
def test_yaml_is_yaml(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_promtool_takes_the_rules() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not on PATH")
    checked = subprocess.run(
        [promtool, "check", "rules", str(RULES)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_alerts_ring_when_they_are_caused_and_not_before() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not on PATH")
    tested = subprocess.run(
        [promtool, "test", "rules", str(RULE_TESTS)], capture_output=True, text=True, check=False
    )
    assert tested.returncode == 0, tested.stdout + tested.stderr

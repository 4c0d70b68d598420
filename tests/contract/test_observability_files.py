"""Rules and dashboards ask for metrics that the code has; their files are what their readers take."""

from __future__ import annotations

import json
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


def test_the_walk_finds_every_name() -> None:
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


def test_every_alert_says_what_to_do() -> None:
    headings = {
        line.lstrip("# ").lower().replace(" ", "-")
        for line in (ROOT / "docs" / "operations.md").read_text().splitlines()
        if line.startswith("#")
    }
    for rule in rules():
        if "alert" not in rule:
            continue
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["runbook"].partition("#")[2] in headings
        assert f"`{rule['alert']}`" in (ROOT / "docs" / "operations.md").read_text()


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

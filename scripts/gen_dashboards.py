"""Writes Grafana's dashboards from the short tables below.

`--check` writes nothing and fails if a dashboard is not what it would write.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "deploy" / "observability" / "grafana" / "dashboards"
_SOURCE: Final = {"type": "prometheus", "uid": "prometheus"}
_RATE: Final = "[$__rate_interval]"


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: queries with the names of their lines. `kind` is Grafana's, `width` of 24."""

    title: str
    queries: tuple[tuple[str, str], ...]
    unit: str = "short"
    kind: str = "timeseries"
    width: int = 12
    about: str = ""


def _p(quantile: str, metric: str, by: str = "") -> str:
    grouped = f"le, {by}" if by else "le"
    return f"histogram_quantile({quantile}, sum by ({grouped}) (rate({metric}_bucket{_RATE})))"


_BAD: Final = 'status=~"5.."'
_REPLIES: Final = "sponsorgraph_mcp_replies_total"
_CALLS: Final = "sponsorgraph_tool_calls_total"
_NOT_FAILED: Final = "ok|cached|repeated|input_required|cancelled"
_OVERVIEW: Final = (
    Panel(
        "Answered without a failure of ours, 28 days",
        (
            (
                f"1 - (sum(rate({_REPLIES}{{{_BAD}}}[28d])) or vector(0)) / sum(rate({_REPLIES}[28d]))",
                "availability",
            ),
        ),
        "percentunit",
        "stat",
        6,
        "The objective is 99.9 %.",
    ),
    Panel(
        "p99 of tool calls",
        ((_p("0.99", "sponsorgraph_tool_seconds"), "p99"),),
        "s",
        "stat",
        6,
        "The objective is 500 ms.",
    ),
    Panel(
        "Processes that answer", (('count(up{job="sponsorgraph"} == 1)', "up"),), "short", "stat", 6
    ),
    Panel(
        "Ledger is behind by",
        (("max(sponsorgraph_ledger_oldest_seconds)", "oldest entry"),),
        "s",
        "stat",
        6,
    ),
    Panel(
        "Replies of the MCP endpoint",
        ((f"sum by (status) (rate({_REPLIES}{_RATE}))", "{{status}}"),),
        "reqps",
    ),
    Panel(
        "Time to answer a tool call",
        tuple((_p(q, "sponsorgraph_tool_seconds"), f"p{q[2:]}") for q in ("0.50", "0.95", "0.99")),
        "s",
    ),
    Panel(
        "RPCs by method",
        ((f"sum by (method) (rate(sponsorgraph_rpc_seconds_count{_RATE}))", "{{method}}"),),
        "reqps",
    ),
    Panel(
        "RPCs that failed, by code",
        (
            (
                f'sum by (method, code) (rate(sponsorgraph_rpc_seconds_count{{code!="OK"}}{_RATE}))',
                "{{method}} {{code}}",
            ),
        ),
        "reqps",
    ),
    Panel("p99 of RPCs", ((_p("0.99", "sponsorgraph_rpc_seconds", "method"), "{{method}}"),), "s"),
    Panel(
        "Connections to Postgres in use",
        (
            (
                "sum by (pool, instance) (sponsorgraph_database_connections_in_use)"
                " / sum by (pool, instance) (sponsorgraph_database_connections_allowed)",
                "{{pool}} {{instance}}",
            ),
        ),
        "percentunit",
    ),
    Panel(
        "Memory of the processes",
        (('process_resident_memory_bytes{job="sponsorgraph"}', "{{service}} {{instance}}"),),
        "bytes",
    ),
    Panel(
        "Calls under way at the gateways",
        (("sponsorgraph_calls_in_flight", "{{part}} {{instance}}"),),
    ),
    Panel(
        "Calls turned away, as too many were under way",
        (
            (
                f"sum by (part) (rate(sponsorgraph_calls_rejected_total{_RATE}))",
                "{{part}}",
            ),
        ),
        "reqps",
    ),
    Panel(
        "Pushes of revocations are heard",
        (("sponsorgraph_revocation_listener_connected", "{{instance}}"),),
    ),
)
_TOOLS: Final = (
    Panel(
        "Calls by tool",
        ((f"sum by (tool) (rate({_CALLS}{_RATE}))", "{{tool}}"),),
        "reqps",
        width=24,
    ),
    Panel("Outcomes", ((f"sum by (outcome) (rate({_CALLS}{_RATE}))", "{{outcome}}"),), "reqps"),
    Panel(
        "Share that failed",
        (
            (
                f'sum by (tool) (rate({_CALLS}{{outcome!~"{_NOT_FAILED}"}}{_RATE})) / sum by (tool) (rate({_CALLS}{_RATE}))',
                "{{tool}}",
            ),
        ),
        "percentunit",
    ),
    Panel("p50 by tool", ((_p("0.50", "sponsorgraph_tool_seconds", "tool"), "{{tool}}"),), "s"),
    Panel("p99 by tool", ((_p("0.99", "sponsorgraph_tool_seconds", "tool"), "{{tool}}"),), "s"),
)
_IMPORTS: Final = (
    Panel("Imports by state", (("max by (state) (sponsorgraph_imports)", "{{state}}"),)),
    Panel(
        "Runs by what they came to",
        ((f"sum by (state) (rate(sponsorgraph_import_runs_total{_RATE}))", "{{state}}"),),
        "ops",
    ),
    Panel(
        "Jobs",
        (
            ("max by (task) (sponsorgraph_import_jobs_waiting)", "{{task}} waiting"),
            ("max by (task) (sponsorgraph_import_jobs_running)", "{{task}} at work"),
        ),
    ),
    Panel(
        "Age of the longest waiting job",
        (("max by (task) (sponsorgraph_import_jobs_oldest_seconds)", "{{task}}"),),
        "s",
    ),
    Panel(
        "Videos read and sponsorships found",
        (
            (
                f"sum by (reason) (rate(sponsorgraph_videos_read_total{_RATE}))",
                "videos, {{reason}}",
            ),
            (
                f"sum by (reason) (rate(sponsorgraph_sponsorships_found_total{_RATE}))",
                "sponsorships, {{reason}}",
            ),
        ),
        "ops",
    ),
    Panel(
        "Sponsorships a video",
        (
            (
                "sum(rate(sponsorgraph_sponsorships_found_total[1h])) / sum(rate(sponsorgraph_videos_read_total[1h]))",
                "found",
            ),
        ),
        about="A jump after a release speaks of the detector, not of the channels.",
    ),
    Panel(
        "Time of the detector for a batch",
        ((_p("0.95", "sponsorgraph_detector_seconds"), "p95"),),
        "s",
    ),
)
_QUOTAS: Final = (
    Panel(
        "Calls refused by quota",
        ((f"sum by (reason) (rate(sponsorgraph_quota_refusals_total{_RATE}))", "{{reason}}"),),
        "reqps",
    ),
    Panel(
        "Entries that the ledger does not have yet",
        (("max(sponsorgraph_ledger_entries_pending)", "entries"),),
    ),
    Panel(
        "YouTube's units of the day",
        (
            ("max(sponsorgraph_youtube_units_used)", "used"),
            ("max(sponsorgraph_youtube_units_allowed)", "allowed"),
        ),
    ),
    Panel(
        "Credentials found in the gateway's cache",
        (
            (
                f'sum(rate(sponsorgraph_credential_lookups_total{{result="hit"}}{_RATE}))'
                f" / sum(rate(sponsorgraph_credential_lookups_total{_RATE}))",
                "hits",
            ),
        ),
        "percentunit",
    ),
    Panel(
        "Failed polls of queues and counters",
        ((f"sum by (gauge) (rate(sponsorgraph_gauge_failures_total{_RATE}))", "{{gauge}}"),),
        "ops",
    ),
)
DASHBOARDS: Final = {
    "overview": ("Sponsorgraph: overview", _OVERVIEW),
    "tools": ("Sponsorgraph: tools", _TOOLS),
    "imports": ("Sponsorgraph: imports", _IMPORTS),
    "quotas": ("Sponsorgraph: quotas", _QUOTAS),
}  # fmt: skip


def dashboard(name: str) -> str:
    """A dashboard as Grafana reads it."""
    title, panels = DASHBOARDS[name]
    made: list[dict[str, Any]] = []
    x = y = row = 0
    for number, panel in enumerate(panels, start=1):
        height = 5 if panel.kind == "stat" else 8
        if x + panel.width > 24:
            x, y, row = 0, y + row, 0
        made.append(_panel(number, panel, {"x": x, "y": y, "w": panel.width, "h": height}))
        x, row = x + panel.width, max(row, height)
    whole: dict[str, Any] = {
        "uid": f"sponsorgraph-{name}",
        "title": title,
        "tags": ["sponsorgraph"],
        "schemaVersion": 39,
        "editable": False,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "utc",
        "templating": {"list": []},
        "links": [
            {"type": "dashboards", "tags": ["sponsorgraph"], "title": "", "asDropdown": False}
        ],
        "panels": made,
    }
    return json.dumps(whole, indent=1) + "\n"


def _panel(number: int, panel: Panel, position: dict[str, int]) -> dict[str, Any]:
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.about,
        "datasource": _SOURCE,
        "gridPos": position,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + at),
                "datasource": _SOURCE,
                "expr": query,
                "legendFormat": line,
            }
            for at, (query, line) in enumerate(panel.queries)
        ],
    }


def main(arguments: list[str]) -> int:
    wanted = {FOLDER / f"{name}.json": dashboard(name) for name in DASHBOARDS}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path.relative_to(ROOT)} is out of date: run `make gen`.\n")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

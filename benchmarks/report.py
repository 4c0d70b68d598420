"""The figures as a table, as bars and as JSON."""

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.catalogue import Size
from benchmarks.peer_servers import LIST_FLOOR, OURS
from benchmarks.pipelining import Depth
from benchmarks.queries import SAME, SEARCH
from benchmarks.session import Row
from benchmarks.startup import Loading
from benchmarks.verification import Verification

FOLDER: Final = Path(__file__).parent / "results"
_BAR: Final = 24
_LABELS: Final = 360
_WIDTH: Final = 420


@dataclass(slots=True)
class Report:
    """All that was measured."""

    size: Size
    rounds: int
    seconds: float
    generator: str
    machine: str
    rows: Sequence[Row] = ()
    skipped: Mapping[str, str] = field(default_factory=dict[str, str])
    ingest_per_second: float = 0.0
    ingested: int = 0
    bulk_seconds: float = 0.0
    cold_start: tuple[float, float] | None = None
    depths: list[Depth] = field(default_factory=list[Depth])
    sizes: dict[int, list[tuple[str, int, int, int]]] = field(
        default_factory=dict[int, list[tuple[str, int, int, int]]]
    )
    loadings: Sequence[Loading] = ()
    verified: Verification | None = None

    def save(self) -> str:
        """Writes all three files; gives the text."""
        FOLDER.mkdir(exist_ok=True)
        text = self.text()
        (FOLDER / "latest.md").write_text(text)
        (FOLDER / "latest.svg").write_text(self.bars())
        rows = json.dumps([asdict(row) for row in self.rows], indent=1, ensure_ascii=False)
        (FOLDER / "latest.json").write_text(rows + "\n")
        return text

    def text(self) -> str:
        size = self.size
        parts = [
            "# Measurements\n",
            f"Written by `make bench` on {self.machine}: {size.sponsors:,} sponsors, "
            f"{size.youtubers:,} youtubers, {size.videos:,} videos, {size.sponsorships:,} "
            f"sponsorships; 32 connections by {self.generator}; medians of {self.rounds} interleaved "
            f"rounds of {self.seconds:g} s. Load, engines and contenders share the machine. Trust "
            "ratios within a table, not absolute figures.\n",
            *self._tables(),
            *self._notes(),
            *self._more(),
        ]
        return "\n".join(parts)

    def _tables(self) -> list[str]:
        parts: list[str] = []
        for workload in dict.fromkeys(row.workload for row in self.rows):
            rows = [row for row in self.rows if row.workload == workload]
            ours = next((row.rps for row in rows if row.contender == OURS), None)
            parts += [f"## {workload}\n", _table(_HEAD, [_cells(row, ours) for row in rows]), ""]
        return parts

    def _notes(self) -> list[str]:
        notes = [
            "- Ours is all that users run: quota and burst check, the ledger of usage, logs. The peers "
            "check a bearer token and search the same Postgres, and have no quota.",
            "- Our own code in other forms is measured after the others, by itself: every gateway that "
            "runs takes a share of the ledger's work, in smaller batches.",
            "- Everyone gives the same ten sponsors with the same fields; only we look for typing errors, too. That is checked before.",
            f"- “{SAME}” is answered by us from what the gateway keeps until the catalogue "
            "changes, and counted all the same; peers keep nothing, so compare with their row of "
            f"“{SEARCH}”.",
            "- The low-level peers list the same tools as we do; MCPServer and FastMCP only one.",
            f"- “{LIST_FLOOR}” sends our list of tools, compressed as we send it to those who take "
            "gzip, whatever it is asked: the floor of an answer of that length.",
            "- p99 at half load: everyone gets half of the requests that the fastest peer manages, on "
            "a schedule; a request that has to wait for its turn counts from when it was due.",
            "- CPU is that of all processes of a contender, Postgres and Valkey included; memory is "
            "that of its own processes: their proportional set size (PSS), which counts a page that "
            "several processes share once. Resident memory would count it once a process.",
        ]
        notes += [f"- Not measured: {name}: {reason}." for name, reason in self.skipped.items()]
        parts = ["## How to read this\n", *notes, ""]
        for row in self.rows:
            if row.contender == OURS and row.workload == SEARCH:
                names = [*row.cpu_us_by_process]
                cells = [
                    [name, f"{row.cpu_us_by_process[name]:,.0f}", _mb(row, name)] for name in names
                ]
                head = [
                    "process of ours, under different searches",
                    "CPU µs/request",
                    "memory (PSS) MB",
                ]
                parts += [_table(head, cells), ""]
        return parts

    def _more(self) -> list[str]:
        parts = [
            "## Loading and starting\n",
            f"- Ingest over gRPC: {self.ingest_per_second:,.0f} videos/s ({self.ingested:,} videos, "
            "rollups included). The rest of the videos was made in the database, in "
            f"{self.bulk_seconds:,.0f} s.",
        ]
        if self.cold_start:
            fresh, used = self.cold_start
            parts.append(
                f"- `make run` to the first answer: {used:.1f} s when the home was used before, "
                f"{fresh:.1f} s in a new one with the sample loaded."
            )
        if self.verified:
            parts.append(
                f"- An access token is verified in {self.verified.cached_us:.1f} µs when it was seen "
                f"before, and in {self.verified.new_us:.0f} µs when it is new."
            )
        if self.loadings:
            head = ["process", "imports, ms", "modules", "memory after them (PSS), MB"]
            cells = [
                [
                    loading.process,
                    f"{loading.milliseconds:,.0f}",
                    f"{loading.modules:,}",
                    f"{loading.memory_mb:,.0f}",
                ]
                for loading in self.loadings
            ]
            parts += ["", _table(head, cells)]
        if self.depths:
            parts += ["\n## Heavier questions, one connection\n", self._depth_table()]
        for sponsorships, sizes in self.sizes.items():
            cells = [
                [f"{'index ' if is_index else ''}{name}", f"{rows:,}", f"{size / 2**20:,.1f}"]
                for name, rows, size, is_index in sizes
            ]
            head = [f"at {sponsorships:,} sponsorships", "rows", "MB"]
            parts += ["", _table(head, cells)]
        return [*parts, ""]

    def _depth_table(self) -> str:
        counts = sorted({depth.sponsorships for depth in self.depths})
        head = ["question", *(f"{count:,}: p50 / p99 ms" for count in counts)]
        cells: list[list[str]] = []
        for query in dict.fromkeys(depth.query for depth in self.depths):
            found = {d.sponsorships: d for d in self.depths if d.query == query}
            cells.append([query, *(_depth(found[n]) for n in counts)])
        return _table(head, cells)

    def bars(self) -> str:
        """Requests per second as bars, a group for each workload but the floor's."""
        parts: list[str] = []
        top = 56
        for workload in dict.fromkeys(row.workload for row in self.rows):
            rows = sorted(
                (row for row in self.rows if row.workload == workload), key=lambda row: -row.rps
            )
            parts.append(f'<text x="16" y="{top}" class="head">{html.escape(workload)}</text>')
            top += 12
            for row in rows:
                parts.append(_bar(row, top, rows[0].rps))
                top += _BAR
            top += 36
        total = _LABELS + _WIDTH + 120
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{top}" '
            f'viewBox="0 0 {total} {top}" role="img">\n'
            "<title>Requests per second, by workload and contender</title>\n<style>text{font:13px "
            "sans-serif;fill:#222}.head{font-weight:bold}.ours{fill:#c2410c}.other{fill:#94a3b8}"
            "</style>\n"
            f'<rect width="{total}" height="{top}" fill="#fff"/>\n'
            '<text x="16" y="24">Requests per second, 32 connections, one machine; longer is '
            "better</text>\n" + "\n".join(parts) + "\n</svg>\n"
        )


_HEAD: Final = [
    "contender",
    "requests/s",
    "lowest–highest",
    "ours ÷ this",
    "p50 ms",
    "p99 ms",
    "p99 ms at half load",
    "CPU µs/request",
    "memory (PSS) MB",
    "failures",
]


def _cells(row: Row, ours: float | None) -> list[str]:
    half = (
        "" if row.p99_half_load_ms is None else f"{row.p99_half_load_ms} (at {row.half_load_rps})"
    )
    return [
        row.contender,
        f"{row.rps:,.0f}",
        f"{row.rps_lowest:,.0f}–{row.rps_highest:,.0f}",
        "" if ours is None or not row.rps else f"{ours / row.rps:.2f}",
        f"{row.p50_ms}",
        f"{row.p99_ms}",
        half,
        f"{row.cpu_us_per_request:,.0f}",
        f"{row.memory_mb:,.0f}",
        str(row.failures),
    ]


def _depth(depth: Depth) -> str:
    failed = f", {depth.failures} failed" if depth.failures else ""
    return f"{depth.p50_ms} / {depth.p99_ms}{failed}"


def _mb(row: Row, name: str) -> str:
    memory: Any = row.memory_mb_by_process.get(name)
    return "" if memory is None else f"{memory:,.0f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _bar(row: Row, top: int, longest: float) -> str:
    width = max(1, round(row.rps / longest * _WIDTH)) if longest else 1
    kind = "ours" if row.contender.startswith("sponsorgraph") else "other"
    middle = top + _BAR - 8
    return (
        f'<text x="16" y="{middle}">{html.escape(row.contender)}</text>'
        f'<rect x="{_LABELS}" y="{top + 3}" width="{width}" height="{_BAR - 6}" class="{kind}"/>'
        f'<text x="{_LABELS + width + 6}" y="{middle}">{row.rps:,.0f}</text>'
    )

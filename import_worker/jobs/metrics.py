"""Metrics of workers: videos read, findings, and ends of imports."""

from typing import Final

from prometheus_client import Counter, Histogram

VIDEOS_READ: Final = Counter(
    "sponsorgraph_videos_read", "Videos whose text the detector has read.", ["reason"]
)
SPONSORSHIPS_FOUND: Final = Counter(
    "sponsorgraph_sponsorships_found", "Sponsorships that the detector found in them.", ["reason"]
)
DETECTOR_SECONDS: Final = Histogram(
    "sponsorgraph_detector_seconds",
    "Time in which the detector read a batch of videos, in seconds.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
RECORDS_REFUSED: Final = Counter(
    "sponsorgraph_records_refused",
    "Records of imports that could not be written to the catalogue; the log says which and why.",
)
IMPORT_RUNS: Final = Counter(
    "sponsorgraph_import_runs",
    "Runs of imports by what they came to: done, failed, cancelled, waiting, superseded.",
    ["state"],
)

for _state in ("done", "failed", "cancelled", "waiting", "superseded"):
    IMPORT_RUNS.labels(_state)  # begins at 0, so that its first event has a rate
for _reason in ("import", "again"):
    VIDEOS_READ.labels(_reason)
    SPONSORSHIPS_FOUND.labels(_reason)

"""A call passes few files, so that its way can be read."""

from typing import Final

from benchmarks.call_path import call_paths

MAX_FILES: Final = 44
"""It was 40 before every answer carried the kinds and the coverage that it rests on."""

MAX_FILES_FROM_CACHE: Final = 25


def test_a_call_passes_few_files() -> None:
    uncached, cached = call_paths()
    assert len(uncached.files) <= MAX_FILES, sorted(uncached.files)
    assert len(cached.files) <= MAX_FILES_FROM_CACHE, sorted(cached.files)
    # The profiler was on, in both services, and the second calls came from the cache.
    assert "gateway/tools/sponsors.py" in uncached.files
    assert "catalog_service/domain/sponsors.py" in uncached.files
    assert "gateway/mcp/dispatcher.py" in cached.files
    assert not cached.catalog_service

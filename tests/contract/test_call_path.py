"""A call passes few files, so that its way can be read."""

from typing import Final

import pytest

from benchmarks.call_path import call_paths, main

MAX_FILES: Final = 45
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


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--help"], 0), (["--serve", "folder"], 2), (["gateway"], 2)]
)
def test_the_command_explains_itself(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == status
    assert "usage: python -m benchmarks.call_path" in "".join(capsys.readouterr())

"""A home may be anywhere: the engines take a path with any characters."""

from pathlib import Path

from devstack.engines import Valkey
from devstack.ports import free_port


def test_valkey_has_its_data_in_a_folder_with_blanks_quotes_and_backslashes(tmp_path: Path) -> None:
    data = tmp_path / """the "home's" \\ folder""" / "valkey"
    engine = Valkey(free_port(), "secret", tmp_path / "valkey.log", data)
    try:
        engine.start()
        assert (data / "appendonlydir").is_dir()
    finally:
        engine.stop()

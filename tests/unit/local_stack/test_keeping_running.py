"""A stack whose engine has ended, and cannot be started again at once."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from local_stack.engines import EngineError
from local_stack.home import Connection, Home
from local_stack.settings import StackSettings
from local_stack.stack import Stack


class Ailing:
    """An engine that has ended and starts at the third attempt only."""

    def __init__(self, started: threading.Event) -> None:
        self.process = SimpleNamespace(pid=1, poll=lambda: 1)
        self.attempts = 0
        self._started = started

    def start(self) -> None:
        self.attempts += 1
        if self.attempts < 3:
            raise EngineError("There is no room on the disk.")
        self.process = SimpleNamespace(pid=2, poll=lambda: None)
        self._started.set()


def test_an_engine_is_started_again_as_often_as_it_takes(tmp_path: Path) -> None:
    stopped, told = threading.Event(), list[str]()
    engine: Any = Ailing(stopped)
    stack = Stack(Home(tmp_path), StackSettings(), told.append, _engines=[engine])
    stack.keep_running(Connection("", "", "", "", "", {}), stopped)
    assert [("no room" in one, "was started again" in one) for one in told] == [
        (True, False),
        (True, False),
        (False, True),
    ]

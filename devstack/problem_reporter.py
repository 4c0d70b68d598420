"""Problems that keep a stack from running, each reported once until it is over."""

from collections.abc import Callable
from dataclasses import dataclass, field

Report = Callable[[str], None]
"""Print a step to the person at the terminal."""


@dataclass(slots=True)
class ProblemReporter:
    """Report each problem of a part once until it ends. `report` may fail: nobody has to read it."""

    report: Report
    _present: set[str] = field(default_factory=set[str])

    def begin(self, part: str, text: str) -> None:
        """Report `text`, unless the part has a problem already."""
        if part not in self._present:
            self._present.add(part)
            self.write(text)

    def end(self, part: str, text: str = "") -> None:
        """Report `text` if the part had a problem."""
        if part in self._present:
            self._present.discard(part)
            if text:
                self.write(text)

    def write(self, text: str) -> None:
        try:
            self.report(text)
        except OSError:  # the terminal is gone, or its file is on the disk that is full
            return

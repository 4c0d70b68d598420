"""The universal scalability law: how capacity grows with processes that share something.

N. Gunther, "Guerrilla Capacity Planning", chapter 4: C(n) = n / (1 + σ (n − 1) + κ n (n − 1)), relative to one process.
σ is the share of the work that waits for one another (contention), κ that of keeping each other up to date (coherency).
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalability:
    """The two parameters of the law, both at least 0."""

    contention: float
    coherency: float

    def capacity(self, processes: float) -> float:
        """Return what so many processes do in the time in which one does 1."""
        others = processes - 1
        slower = self.contention * others + self.coherency * processes * others
        return processes / (1 + slower)


def fitted(costs: Mapping[int, float]) -> Scalability:
    """Fit the law to the cost of a request, in whatever unit, by number of processes; 1 is among them.

    With a core for each process C(n) would be n · cost(1) / cost(n), so that cost(n) / cost(1) − 1 = σ (n − 1) + κ n (n − 1):
    linear in both, by least squares. A parameter that would be negative is 0, and the other is fitted alone.
    """
    points = [(n - 1.0, n * (n - 1.0), cost / costs[1] - 1) for n, cost in costs.items() if n > 1]
    if not points:
        return Scalability(0, 0)
    aa, ab, bb = (sum(p[i] * p[j] for p in points) for i, j in ((0, 0), (0, 1), (1, 1)))
    ay, by = (sum(p[i] * p[2] for p in points) for i in (0, 1))
    determinant = aa * bb - ab * ab
    if determinant > 0:
        contention = (ay * bb - by * ab) / determinant
        coherency = (by * aa - ay * ab) / determinant
        if contention >= 0 and coherency >= 0:
            return Scalability(contention, coherency)
    alone = (Scalability(max(0.0, ay / aa), 0), Scalability(0, max(0.0, by / bb)))
    return min(alone, key=lambda law: _error(law, points))


def _error(law: Scalability, points: list[tuple[float, float, float]]) -> float:
    return sum((law.contention * a + law.coherency * b - y) ** 2 for a, b, y in points)

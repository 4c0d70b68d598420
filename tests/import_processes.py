"""The import worker as installations of more than one machine have it: one process that serves, one that works."""

from collections.abc import Iterable
from dataclasses import replace

from devstack.services import ServiceSpec


def apart(found: Iterable[ServiceSpec]) -> list[ServiceSpec]:
    """Return the processes of one machine's stack with two in place of the one that does both."""
    processes: list[ServiceSpec] = []
    for spec in found:
        if spec.name == "import_worker":
            processes.append(replace(spec, command=("serve",)))
            processes.append(replace(spec, name="import_jobs", command=("work",), database=""))
        else:
            processes.append(spec)
    return processes

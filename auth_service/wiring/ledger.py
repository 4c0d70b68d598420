"""Wire what keeps counters and ledger equal."""

from dataclasses import dataclass

from auth_service.domain.reconciliation import Counters, Reconciliation
from auth_service.domain.settlement import ActiveMonths
from auth_service.storage.cluster_counters import ClusterCounters
from auth_service.storage.counters import ValkeyCounters
from auth_service.storage.reconciliation import PostgresReconciliationStore
from auth_service.wiring.resources import Resources
from servicekit.valkey_keys import layout_of


@dataclass(frozen=True, slots=True)
class Ledger:
    """The comparison of counters and ledger, and the months that gateways report calls of."""

    reconciliation: Reconciliation
    active: ActiveMonths


def ledger_of(resources: Resources) -> Ledger:
    """Return the comparison of the service's ledger with the counters in Valkey."""
    return Ledger(
        Reconciliation(
            PostgresReconciliationStore(resources.engine),
            _counters_of(resources),
            resources.clock,
            resources.settings.usage_entry_days,
        ),
        ActiveMonths(resources.clock),
    )


def _counters_of(resources: Resources) -> Counters:
    layout = layout_of(resources.settings.valkey_url)
    if layout.is_sharded:
        return ClusterCounters(resources.valkey, layout)
    return ValkeyCounters(resources.valkey)

"""The gateway's data in Valkey: counters, the ledger's queue, and the channel of revocations."""

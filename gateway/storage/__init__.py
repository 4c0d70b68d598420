"""What the gateway keeps in Valkey: counters, the ledger's queue, and the channel of pushes."""

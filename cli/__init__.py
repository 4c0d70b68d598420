"""The `sponsorgraph` command: what operators type."""

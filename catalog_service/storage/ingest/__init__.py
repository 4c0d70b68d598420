"""Writing batches of facts."""

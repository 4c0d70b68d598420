"""Monthly sums that the ingest keeps up to date."""

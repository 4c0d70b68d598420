"""Monthly sums that the ingest maintains."""

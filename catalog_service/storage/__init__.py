"""The catalogue in Postgres: tables, reads and the ingest's writes."""

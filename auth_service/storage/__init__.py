"""The auth service's Postgres and Valkey."""

"""Storage of the auth service in Postgres and Valkey."""

"""Storage of the site in Postgres."""

"""The site's storage in Postgres."""

"""The authorization server's storage in Postgres, synchronous as Authlib is."""

"""Storage of the authorization server in Postgres, synchronous because Authlib is."""

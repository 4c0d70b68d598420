"""What the auth service asks of others."""

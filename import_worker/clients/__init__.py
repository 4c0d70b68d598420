"""What the import worker asks of the other services."""

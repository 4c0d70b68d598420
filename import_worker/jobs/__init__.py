"""What workers do: imports, refreshes, reading again."""

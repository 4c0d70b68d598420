"""Read-only SQL of callers: the tables that they see, and the statements that are accepted."""

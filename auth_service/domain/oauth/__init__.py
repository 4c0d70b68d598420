"""The rules of OAuth as this server applies them: plain data and functions, no framework."""

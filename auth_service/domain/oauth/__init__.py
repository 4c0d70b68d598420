"""The OAuth rules of this server: plain data and functions, no framework."""

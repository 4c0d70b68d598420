"""The support bundle: what a stack is and does, without its secrets."""

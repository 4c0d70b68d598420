"""The catalogue's rules: plain Python, free of transport and database."""

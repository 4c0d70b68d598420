"""Other ways to serve the same search, each in a small file and at its fastest settings."""

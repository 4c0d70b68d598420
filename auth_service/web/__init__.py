"""The HTTP interface: OAuth endpoints and the site."""

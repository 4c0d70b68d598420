"""The HTTP face: OAuth's endpoints and the site."""

"""Input that a call needs from the person before the client."""

"""HTTP servers: framing, protocol limits and serving inside a running loop; and the reading of others' responses."""

"""Search of sponsors and youtubers by name and filters."""

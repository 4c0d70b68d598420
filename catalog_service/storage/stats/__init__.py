"""Statistics, rankings, relations and recommendations."""

"""Events of the catalogue, in the order in which they happened."""

"""Pages with data of the catalogue: which tools they call, and what they show of the answers."""

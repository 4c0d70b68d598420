"""Tables of phrases in the languages of the detector: one file per concern."""

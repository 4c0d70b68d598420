"""What people write in the languages of the detector, as tables: one file per concern."""

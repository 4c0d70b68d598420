"""What the catalogue knows and answers, free of transport and database."""

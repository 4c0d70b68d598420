"""The domain of imports: their states and requests, the sources of videos, and the records for the catalog."""

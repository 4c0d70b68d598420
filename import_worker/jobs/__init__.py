"""The jobs of workers: imports, refreshes, and detection in stored videos."""

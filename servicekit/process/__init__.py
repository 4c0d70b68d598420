"""The life of a process: imports, signals, shutdown, workers and health checks."""

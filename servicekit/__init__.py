"""The common parts of every service process. Nothing here depends on a service's domain."""

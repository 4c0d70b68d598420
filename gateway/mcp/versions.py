"""The revisions of the protocol that the endpoint speaks, newest first."""

from typing import Final

STATELESS: Final = "2026-07-28"
"""Stateless: every request says in `_meta` which revision it is of."""

SESSION_BASED: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""These begin with `initialize`."""

SUPPORTED: Final = (STATELESS, *SESSION_BASED)
BATCHING: Final = "2025-03-26"
"""The only revision with JSON-RPC batches, and what a request without a version is taken for."""
WITH_TITLES: Final = "2025-06-18"
"""The first revision with titles."""

WITH_STRUCTURED_CONTENT: Final = "2025-06-18"
"""The first revision with structured content and output schemas."""

WITH_RESOURCE_LINKS: Final = "2025-06-18"
"""The first revision in which the result of a tool may have links to resources."""

WITH_ICONS: Final = "2025-11-25"
"""The first revision with icons, and with the server's description and web site."""

WITH_TITLED_CHOICES: Final = "2025-11-25"
"""The first revision in which the choices of a form have titles."""

WITH_ELICITATION: Final = "2025-06-18"
"""The first revision in which a client can be asked for a form."""

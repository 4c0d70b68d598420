"""The URLs of databases."""


def driver_url(url: str) -> str:
    """Return the URL with the driver that SQLAlchemy is to use."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)

"""The URLs of databases."""


def driver_url(url: str) -> str:
    """Return the URL with the driver that SQLAlchemy is to use."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def without_statement_timeout(url: str) -> str:
    """Return the URL with statements that may take as long as they need, whatever the role's parameters say."""
    if "options=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}options=-c%20statement_timeout%3D0"

"""The servers that the URL of a database names."""

from urllib.parse import quote, urlencode

from psycopg.conninfo import conninfo_to_dict

Server = tuple[str, str]
"""Host and port."""


def servers_of(url: str) -> tuple[Server, ...]:
    """Return the servers of a URL in its order."""
    parameters = conninfo_to_dict(url)
    hosts = str(parameters.get("host") or "").split(",")
    ports = str(parameters.get("port") or "5432").split(",")
    return tuple(zip(hosts, ports * len(hosts) if len(ports) == 1 else ports, strict=True))


def address_of(server: Server) -> str:
    """Return "host:port", with an IPv6 host in brackets."""
    host, port = server
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def of_server(url: str, server: Server) -> str:
    """Return the URL with this server alone, whatever state it has to be in by the URL."""
    host, port = server
    parameters = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    parameters.pop("target_session_attrs", None)
    user, password, name = (
        quote(parameters.pop(part, ""), safe="") for part in ("user", "password", "dbname")
    )
    login = f"{user}:{password}@" if password else f"{user}@"
    # In the query hosts need no brackets, and sockets' folders no escape.
    query = urlencode(parameters | {"host": host, "port": port}, quote_via=quote)
    return f"postgresql://{login}/{name}?{query}"

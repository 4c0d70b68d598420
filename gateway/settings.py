"""Settings of the gateway, read from the environment as `GATEWAY_…`."""

from typing import ClassVar, Literal

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import HttpServerSettings


class GatewaySettings(HttpServerSettings):
    """Addresses of the gateway and of the services that it calls, and its limits."""

    model_config = SettingsConfigDict(env_prefix="GATEWAY_")
    at_edge: ClassVar[bool] = True

    host: str = Field("127.0.0.1", description="Address that the HTTP server binds to.")
    port: int = Field(8000, ge=0, le=65535, description="Port of the HTTP server.")
    sql_tools: bool = Field(
        default=True,
        description="Offer `catalog.query` and `catalog.schema`: callers' SQL, which is answered where the catalogue service has a "
        "`CATALOG_SQL_URL` (docs/adr/0062-callers-sql.md).",
    )
    workers: int = Field(
        1,
        ge=1,
        le=64,
        description="Processes that answer on this port; each uses one core. Each counts for "
        "itself: the first one's metrics are on the port after `GATEWAY_METRICS_PORT`, the second "
        "one's on the next.",
    )
    shares_port: bool = Field(
        False, description="Whether other gateways may listen on the same port; workers do."
    )
    base_url: str = Field(
        "http://127.0.0.1:8000",
        description="Public origin of the service; `{base_url}/mcp` is what clients connect to.",
    )
    site_url: str = Field(
        "http://127.0.0.1:8001",
        description="Public origin of the site; `{site_url}/plans` is where plans are compared and changed.",
    )
    issuer: str = Field(
        "http://127.0.0.1:8001",
        description="The authorization server's issuer; access tokens of any other are refused.",
    )
    allowed_origins: str = Field(
        "",
        description="Further web origins that may call, comma-separated. The service's own and "
        "loopback always may.",
    )
    session_secret: SecretStr = Field(
        ...,
        min_length=16,
        description="Signs session ids and the state of calls that ask back; the same for all gateways of an installation.",
    )
    tool_names: Literal["auto", "dotted", "underscore"] = Field(
        "auto",
        description="Names that tools are listed under: `auto` gives MCP clients underscores and bare "
        "scripts dots. A connection may choose for itself. Both always work in calls.",
    )
    text_format: Literal["auto", "json", "markdown", "toon"] = Field(
        "auto",
        description="Format of the text of answers: `auto` gives Markdown to MCP clients of revisions without "
        "structured content, and JSON to all others. A connection may choose for itself.",
    )

    catalog_target: str = Field(
        "127.0.0.1:50051", description="gRPC target of the catalog service."
    )
    auth_target: str = Field("127.0.0.1:50052", description="gRPC target of the auth service.")
    imports_target: str = Field("127.0.0.1:50053", description="gRPC target of the import worker.")
    valkey_url: str = Field(
        "redis://127.0.0.1:6379/0",
        description="Valkey or Redis that counts requests: a server (`redis://`), the primary of Sentinels "
        "(`redis+sentinel://`) or a cluster (`redis+cluster://a,b,c`).",
    )
    catalog_timeout_seconds: float = Field(
        5.0, gt=0, description="Longest wait for a response from the catalog service."
    )
    auth_timeout_seconds: float = Field(
        2.0, gt=0, description="Longest wait for a response from the auth service."
    )
    counting_timeout_seconds: float = Field(
        8.0,
        gt=0,
        description="Longest wait for the auth service to count or record calls. Longer than for "
        "credentials, which are served from the cache meanwhile: a call that cannot be counted is refused.",
    )
    imports_timeout_seconds: float = Field(
        20.0,
        gt=0,
        description="Longest wait for the import worker, which queries YouTube for the channel.",
    )
    progress_seconds: float = Field(
        50.0,
        gt=0,
        description="How long a call with a progress token follows an import before it returns "
        "the import's state of then; many clients give up after a minute.",
    )
    elicitation_timeout_seconds: float = Field(
        120.0,
        gt=0,
        description="How long a call waits for a person's reply to an elicitation through a client "
        "of a revision before 2026-07-28.",
    )
    max_elicitations_per_account: int = Field(
        10, ge=1, description="Most such elicitations of one account that wait at one gateway."
    )
    subscription_poll_seconds: float = Field(
        10.0,
        gt=0,
        description="How often an open subscriptions/listen looks whether the caller's plan or "
        "credential has changed, and whether its watches have new events.",
    )
    max_subscriptions_per_account: int = Field(
        20, ge=1, description="Most open subscriptions/listen of one account at one gateway."
    )
    follow_per_account: int = Field(
        20,
        ge=1,
        description="Most calls of one account that follow an import at one gateway, to report "
        "its progress; further ones return its state at once.",
    )
    valkey_timeout_seconds: float = Field(
        2.0, gt=0, description="Longest wait for a response from Valkey."
    )
    quota_failover_seconds: float = Field(
        900.0,
        ge=0,
        description="How long calls are counted by the ledger while Valkey is away, and by Valkey while "
        "the ledger is away; after it they are refused.",
    )
    instance: str = Field(
        "",
        description="This gateway's name among all gateways, which it keeps when it is started again. "
        "Empty takes host and port; where several share a port, each adds a random part.",
    )

    credential_ttl_seconds: float = Field(
        30.0,
        gt=0,
        description="How long a resolved credential is believed; bounds how late a revocation "
        "whose push was lost is noticed while the auth service answers.",
    )
    credential_stale_seconds: float = Field(
        900.0,
        ge=0,
        description="How long after it was resolved a credential that was good is still served while "
        "the auth service does not answer, unless a push ends it. Also how long the keys that access "
        "tokens are signed with are believed without it. 0 serves nothing stale.",
    )
    credential_stale_share: float = Field(
        0.25,
        gt=0,
        le=1,
        description="The part of its plan's burst limits that a credential has while it is served stale.",
    )
    credential_refusal_ttl_seconds: float = Field(
        5.0, gt=0, description="How long a refused credential is refused without asking again."
    )
    credential_cache_size: int = Field(10_000, ge=1, description="Most credentials in the cache.")

    result_cache_bytes: int = Field(
        4 * 1024 * 1024,
        ge=0,
        description="Memory for results that are cached until the catalogue changes; 0 caches none.",
    )

    max_calls: int = Field(
        512,
        ge=1,
        description="Requests under way at once; further ones are refused with 503 and Retry-After.",
    )
    max_streams: int = Field(
        1_000,
        ge=1,
        description="Requests under way at once whose response is a stream of events. When all "
        "slots are taken, the account with most gives up the newest of its streams that listen or "
        "follow an import, for one with fewer. Of other streams an account gets another only while it "
        "has fewer than are left; what gets none is refused the same way.",
    )
    max_catalog_calls: int = Field(
        256,
        ge=1,
        description="Requests to the catalog service under way at once, so that no others wait for "
        "it when it is slow.",
    )
    max_imports_calls: int = Field(
        64,
        ge=1,
        description="The same for requests to the import worker. An account gets another slot only "
        "while it has fewer than are free.",
    )
    max_body_bytes: int = Field(262_144, ge=1024, description="Largest body of a request.")
    max_nesting: int = Field(
        32, ge=4, le=500, description="Deepest nesting of objects and arrays in a body."
    )
    max_batch: int = Field(20, ge=1, description="Most messages in a JSON-RPC batch.")
    log_every: int = Field(
        100, ge=1, description="One of so many successful requests is logged, and every failed one."
    )
    shutdown_grace_seconds: int = Field(
        10, ge=0, description="How long requests under way may take to end after SIGTERM."
    )

"""Settings of the auth service, from the environment."""

import ipaddress
import re
from typing import Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from auth_service.domain.alerts.schedule import DEFAULT_PAUSES
from auth_service.domain.plans import DEFAULT_PLANS, FREE, Plan
from servicekit.process.addresses import is_loopback
from servicekit.settings import DatabaseSettings, GrpcServerSettings, HttpServerSettings

LEAST_AUDIT_DAYS: Final = 90
"""The database refuses to delete younger events; see migration 0003."""

_CONTACT: Final = re.compile(r"https://[^\s<>\"]+|[^\s<>\"@:/?#]+@[^\s<>\"@:/?#]+")


class PlanLimits(BaseModel, frozen=True, extra="forbid"):
    """The limits of a plan that an operator may change; absent ones keep their default."""

    monthly_requests: int | None = Field(default=None, ge=0)
    burst_requests: int | None = Field(default=None, ge=1)
    burst_refill_per_second: float | None = Field(default=None, gt=0)
    concurrent_imports: int | None = Field(default=None, ge=0)
    watches: int | None = Field(default=None, ge=0)
    followed_channels: int | None = Field(default=None, ge=0)


class AuthSettings(GrpcServerSettings, HttpServerSettings, DatabaseSettings):
    """The settings of the auth service."""

    model_config = SettingsConfigDict(env_prefix="AUTH_")

    grpc_port: int = Field(default=8102, ge=0, le=65535, description="Port of the gRPC server.")
    valkey_url: str = Field(
        default="redis://127.0.0.1:6379/0",
        description="Valkey or Redis, over which revocations reach the gateways.",
    )
    site_url: str = Field(
        default="http://127.0.0.1:8001",
        description="Where people find the site; links in messages start with it.",
    )
    http_host: str = Field(default="127.0.0.1", description="Address that the site binds to.")
    http_port: int = Field(default=8001, ge=0, le=65535, description="Port of the site and OAuth.")
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks of the edge in front of the site, comma-separated: who "
        "calls from there is believed about the caller's address (X-Forwarded-For), by which limits "
        "count. Nobody is believed while it is empty.",
    )
    resource_url: str = Field(
        default="http://127.0.0.1:8000/mcp",
        description="The gateway's MCP URL; access tokens are issued for it alone.",
    )
    gateway_url: str = Field(
        default="",
        description="Where this service reaches the gateway's MCP endpoint, for the site's pages with data; "
        "`resource_url` if it is empty.",
    )
    token_secret: SecretStr = Field(
        ...,
        min_length=32,
        description="Seals signing keys and secrets of authenticator apps, and derives refresh tokens; "
        "the same in every replica. When it changes, every connected application has to connect "
        "again, and every authenticator app to be set up again.",
    )
    client_documents: Literal["fetch", "pinned"] = Field(
        default="fetch",
        description="Whether clients are known by documents on the Internet, or, where that cannot "
        "be reached, by the copies that come with the service alone.",
    )
    thumbnails: Literal["ask", "always", "never"] = Field(
        default="ask",
        description="Whether pages with data show thumbnails of videos, which browsers load from YouTube's "
        "servers: where a visitor asked for them by a press, always, or never.",
    )
    known_publishers: tuple[str, ...] = Field(
        default=("chatgpt.com", "claude.ai", "vscode.dev"),
        description="Hosts, as JSON, whose documents are believed about the names and redirects of "
        "their clients. People are warned of every other client unless its document, its site and "
        "its redirects are of one host. Name no host on which others may put files.",
    )
    mail_folder: str = Field(
        default="",
        description="Folder that mails are written to instead of being sent; for one machine.",
    )
    mail_from: str = Field(
        default="Sponsorgraph <no-reply@localhost>", description="Sender of the mails."
    )
    smtp_host: str = Field(default="", description="Mail server; mails are sent when it is given.")
    smtp_port: int = Field(default=587, ge=1, le=65535, description="Port of the mail server.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="How the connection to the mail server is kept private."
    )
    smtp_username: str = Field(default="", description="User at the mail server.")
    smtp_password: SecretStr = Field(
        default=SecretStr(""), description="Password at the mail server."
    )
    smtp_ca: str = Field(
        default="",
        description="Certificates in PEM of the authorities that the mail server's certificate may "
        "be of, in the place of the system's; usually by `AUTH_SMTP_CA_FILE`.",
    )
    google_client_id: str = Field(default="", description="Client id for login by Google.")
    google_client_secret: SecretStr = Field(
        default=SecretStr(""), description="Client secret for login by Google."
    )
    github_client_id: str = Field(default="", description="Client id for login by GitHub.")
    github_client_secret: SecretStr = Field(
        default=SecretStr(""), description="Client secret for login by GitHub."
    )
    imports_target: str = Field(
        default="",
        description="gRPC address of the import worker, for the site's page of imports; without it "
        "that page says that there are none.",
    )
    catalog_target: str = Field(
        default="",
        description="gRPC address of the catalog, for the site's pages of lists and reports, for deleting the lists of "
        "a deleted account and for alerts of brands, creators and categories; without it there are none of these.",
    )
    alert_retry_seconds: tuple[float, ...] = Field(
        default=DEFAULT_PAUSES,
        min_length=1,
        max_length=50,
        description="Seconds between the attempts to deliver an alert, as JSON; after one attempt more it is "
        "given up.",
    )
    alert_networks: tuple[str, ...] = Field(
        default=(),
        description="Networks besides the public Internet that webhooks may lead to, as JSON, such as "
        '`["10.1.0.0/16"]`; over http, too, and on every port.',
    )
    operator_token: SecretStr = Field(
        default=SecretStr(""),
        description="Secret that the `sponsorgraph` command sends with operators' calls. While it "
        "is empty, those calls are refused.",
    )
    plans: dict[str, PlanLimits] = Field(
        default={},
        description="Changed limits by plan (free, creator, creator_agent), as JSON: "
        '`{"free": {"monthly_requests": 50}}`. Limits are monthly_requests, burst_requests, burst_refill_per_second, '
        "concurrent_imports, watches and followed_channels.",
    )
    max_keys_per_account: int = Field(
        default=10, ge=1, description="API keys that one account may have at a time."
    )
    usage_entry_days: int = Field(
        default=45,
        ge=35,
        description="Days for which entries of single calls are stored, to recognise repeated ones. Daily sums stay.",
    )
    reconcile_hours: float = Field(
        default=24.0,
        ge=0,
        description="Hours between two comparisons of the usage ledger with sums of days and counters; "
        "0 compares only on `sponsorgraph reconcile`.",
    )
    audit_log_days: int = Field(
        default=400,
        ge=0,
        description="Days for which the audit log is kept, at least 90; 0 keeps it for ever.",
    )

    contact: str = Field(
        default="",
        description="Where people reach the operator, for the pages of plans, terms and privacy: an "
        "e-mail address, or an https URL.",
    )
    terms: str = Field(
        default="",
        description="The operator's terms in Markdown, shown at `/terms`; usually by "
        "`AUTH_TERMS_FILE`. While it is empty, that page says that there are none.",
    )
    privacy: str = Field(
        default="",
        description="The operator's privacy notice in Markdown, shown at `/privacy`; usually by "
        "`AUTH_PRIVACY_FILE`. While it is empty, that page says what this software stores.",
    )
    stripe_secret_key: SecretStr = Field(
        default=SecretStr(""),
        description="Secret or restricted key of Stripe's API. Plans are sold when it, the webhook "
        "secret and the prices are given.",
    )
    stripe_webhook_secret: SecretStr = Field(
        default=SecretStr(""),
        description="Secret (`whsec_…`) of Stripe's webhook endpoint for `{site_url}/billing/webhook`.",
    )
    stripe_prices: dict[str, tuple[str, ...]] = Field(
        default={},
        description='Price ids by plan, as JSON: `{"creator": ["price_new", "price_old"]}`. '
        "The first is sold; subscriptions to the others keep their plan.",
    )
    stripe_api_base: str = Field(
        default="https://api.stripe.com", description="Where Stripe's API is."
    )
    stripe_grace_days: int = Field(
        default=7,
        ge=0,
        le=90,
        description="Days after a failed payment in which the account keeps its plan; then it is Free.",
    )

    @field_validator("alert_networks")
    @classmethod
    def _are_networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            ipaddress.ip_network(network)
        return networks

    @field_validator("trusted_proxies")
    @classmethod
    def _are_proxies(cls, proxies: str) -> str:
        parts = [part.strip() for part in proxies.split(",")] if proxies.strip() else []
        for part in parts:
            try:
                ipaddress.ip_network(part)
            except ValueError as error:
                raise ValueError(
                    "the proxies are addresses or networks such as 10.0.0.0/8, separated by commas"
                ) from error
        return ",".join(parts)

    @field_validator("contact")
    @classmethod
    def _is_reachable(cls, contact: str) -> str:
        if contact and not _CONTACT.fullmatch(contact):
            raise ValueError("the contact is an e-mail address or an https URL")
        return contact

    @field_validator("stripe_api_base")
    @classmethod
    def _is_private(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https" and not is_loopback(parts.hostname):
            raise ValueError("Stripe's API is called over https")
        return url.rstrip("/")

    @field_validator("plans")
    @classmethod
    def _change_plans(cls, plans: dict[str, PlanLimits]) -> dict[str, PlanLimits]:
        known = [plan.plan_id for plan in DEFAULT_PLANS]
        for plan in plans:
            if plan not in known:
                raise ValueError(f"{plan!r} is no plan; there are {', '.join(known)}")
        return plans

    @field_validator("stripe_prices")
    @classmethod
    def _name_plans(cls, prices: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for plan, ids in prices.items():
            if plan == FREE or plan not in {known.plan_id for known in DEFAULT_PLANS}:
                raise ValueError(f"{plan!r} is no plan that can be sold")
            if not ids:
                raise ValueError(f"the plan {plan!r} has no price")
        every = [price for ids in prices.values() for price in ids]
        if len(set(every)) < len(every):
            raise ValueError("one price is that of two plans")
        return prices

    @model_validator(mode="after")
    def _billing_is_whole(self) -> Self:
        parts = (
            self.stripe_secret_key.get_secret_value().strip(),
            self.stripe_webhook_secret.get_secret_value().strip(),
            self.stripe_prices,
        )
        if any(parts) and not all(parts):
            raise ValueError(
                "billing needs stripe_secret_key, stripe_webhook_secret and stripe_prices together"
            )
        return self

    @property
    def sells_plans(self) -> bool:
        """True if plans are sold through Stripe."""
        return bool(self.stripe_prices)

    @field_validator("audit_log_days")
    @classmethod
    def _long_enough(cls, days: int) -> int:
        if 0 < days < LEAST_AUDIT_DAYS:
            raise ValueError(f"the audit log is kept for at least {LEAST_AUDIT_DAYS} days")
        return days

    def effective_plans(self) -> dict[str, Plan]:
        """Return the plans, by id, with this operator's limits."""
        return {plan.plan_id: self._changed(plan) for plan in DEFAULT_PLANS}

    def _changed(self, plan: Plan) -> Plan:
        limits = self.plans.get(plan.plan_id, PlanLimits())
        changes = {k: v for k, v in limits.model_dump().items() if v is not None}
        return _replaced(plan, changes)


def _replaced(plan: Plan, changes: dict[str, int | float]) -> Plan:
    return Plan(
        plan.plan_id,
        plan.name,
        int(changes.get("monthly_requests", plan.monthly_requests)),
        int(changes.get("burst_requests", plan.burst_requests)),
        float(changes.get("burst_refill_per_second", plan.burst_refill_per_second)),
        plan.features,
        plan.scopes,
        int(changes.get("concurrent_imports", plan.concurrent_imports)),
        watches=int(changes.get("watches", plan.watches)),
        followed_channels=int(changes.get("followed_channels", plan.followed_channels)),
    )

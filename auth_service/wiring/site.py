"""Wire the site: what its pages call, beside the use cases of accounts, billing and alerts."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

from auth_service.clients.bulk_imports import GrpcBulkImportWorker
from auth_service.clients.catalog import GrpcCatalogSubjects
from auth_service.clients.follows import GrpcFollowWorker
from auth_service.clients.gateway import HttpGateway
from auth_service.clients.import_operations import GrpcImportOperations
from auth_service.clients.lists import GrpcLists
from auth_service.clients.providers import github, google
from auth_service.clients.reports import GrpcReports
from auth_service.domain import site_credentials
from auth_service.domain.billing_service import BillingService
from auth_service.domain.email_changes.service import EmailChanges
from auth_service.domain.encryption import derived_key, fernet
from auth_service.domain.explore.categories import Categories
from auth_service.domain.explore.examples import Examples
from auth_service.domain.explore.ports import SiteTokens
from auth_service.domain.explore.references import References
from auth_service.domain.explore.results import ToolResults
from auth_service.domain.oauth import signing
from auth_service.domain.oauth.scopes import ACCOUNT_READ, CATALOG_READ, CHANNELS_IMPORT
from auth_service.domain.operator_overview.service import OperatorOverview
from auth_service.domain.organisations.invitations import Invitations
from auth_service.domain.organisations.service import OrganisationService
from auth_service.domain.passkeys.challenges import Challenges
from auth_service.domain.passkeys.ports import WebAuthn
from auth_service.domain.passkeys.service import Passkeys
from auth_service.domain.rate_limits import is_address
from auth_service.domain.site.applications import Applications
from auth_service.domain.site.bulk_imports import BulkImportService
from auth_service.domain.site.follows import FollowService
from auth_service.domain.site.imports import ImportService, ImportWorker
from auth_service.domain.site.lists import ListService, ListStore
from auth_service.domain.site.providers import Provider
from auth_service.domain.site.reports import ReportService
from auth_service.settings import AuthSettings
from auth_service.storage.operator_reports import ValkeyReports
from auth_service.storage.results import ValkeyResults
from auth_service.storage.top_accounts import PostgresTopAccounts
from auth_service.web.legal_routes import Retention, legal_texts
from auth_service.web.oauth_routes import OAuthDependencies
from auth_service.web.pages import pages
from auth_service.web.site import DataPages, Site
from auth_service.wiring.accounts import Accounts
from auth_service.wiring.alerts import AlertService
from auth_service.wiring.mail import local_mails_of
from auth_service.wiring.resources import Resources
from servicekit.observability import logs

log = logs.get(__name__)


def site_of(
    stack: AsyncExitStack,
    resources: Resources,
    accounts: Accounts,
    billing: BillingService | None,
    alerts: AlertService,
    worker: ImportWorker | None,
) -> Site:
    """Return the site, with a client of the gateway that is open until the stack is closed."""
    settings, clock, open_site = resources.settings, resources.clock, resources.open_site
    throttle, catalog, imports = resources.throttle, resources.catalog, resources.imports
    mailer, service, secret = resources.mailer, accounts.service, resources.policy.token_secret
    limited_mailer, two_factor = accounts.limited_mailer, accounts.two_factor
    return Site(
        oauth=OAuthDependencies(
            resources.environment, resources.open_oauth, resources.documents, throttle
        ),
        login_service=accounts.login,
        sign_ups=accounts.sign_ups,
        recovery=accounts.recovery,
        account_service=service,
        imports=ImportService(worker, service),
        bulk_imports=BulkImportService(GrpcBulkImportWorker(imports) if imports else None, service),
        follows=FollowService(GrpcFollowWorker(imports) if imports else None, service),
        lists=ListService(lists_of(resources), service),
        reports=ReportService(GrpcReports(catalog) if catalog else None),
        applications=Applications(open_site, clock),
        organisations=OrganisationService(
            open_site, mailer, resources.feed, accounts.deleted, throttle, clock
        ),
        invitations=Invitations(open_site, limited_mailer, throttle, clock),
        operations=accounts.operations,
        overview=_overview(resources),
        providers=_providers(settings),
        pages=pages(settings.site_url, settings.resource_url),
        site_url=settings.site_url,
        mail_folder="" if settings.smtp_host else settings.mail_folder,
        local_mails=local_mails_of(settings, open_site, mailer, clock),
        cookies=fernet("login-cookies", secret),
        contact=settings.contact,
        legal=legal_texts(
            settings.terms,
            settings.privacy,
            Retention(settings.usage_entry_days, settings.audit_log_days),
            sells=settings.sells_plans,
        ),
        billing=billing,
        second_step=accounts.second_step,
        two_factor=two_factor,
        passkeys=Passkeys(
            open_site,
            two_factor,
            _webauthn(settings.site_url),
            Challenges(derived_key("passkey-challenges", secret), clock),
            clock,
        ),
        email_changes=EmailChanges(
            open_site, two_factor, limited_mailer, billing and billing.follow_address
        ),
        data=_data_pages(stack, resources),
        alerts=alerts.site,
    )


def lists_of(resources: Resources) -> ListStore | None:
    """Return the store of saved lists, which the catalog service has; None where there is none."""
    return GrpcLists(resources.catalog) if resources.catalog else None


def _overview(resources: Resources) -> OperatorOverview:
    """Return the use cases of the operator's page."""
    imports, token = resources.imports, resources.settings.operator_token.get_secret_value()
    return OperatorOverview(
        ValkeyReports(resources.valkey),
        GrpcImportOperations(imports, token) if imports else None,
        PostgresTopAccounts(resources.engine),
        resources.clock,
        _report_part,
    )


def _data_pages(stack: AsyncExitStack, resources: Resources) -> DataPages:
    """Return the use cases of pages with data."""
    settings, clock = resources.settings, resources.clock
    gateway = HttpGateway(settings.gateway_url or settings.resource_url)
    stack.push_async_callback(gateway.aclose)
    tokens, catalog = _site_tokens(resources), resources.catalog
    resolver = GrpcCatalogSubjects(catalog) if catalog else None
    return DataPages(
        ToolResults(gateway, ValkeyResults(resources.valkey), tokens, clock),
        Examples(gateway, tokens, clock),
        Categories(gateway, tokens, clock, resolver),
        References(resolver),
        settings.thumbnails,
    )


def _site_tokens(resources: Resources) -> SiteTokens:
    """Return the signer of the site's own tokens, which reach whatever the account's plan allows."""
    scopes = (CATALOG_READ, ACCOUNT_READ, CHANNELS_IMPORT)

    def signed(account_id: str, member_id: str | None, *, included: bool) -> str:
        current = resources.environment()
        subject = signing.Subject(
            account_id,
            site_credentials.CLIENT_ID,
            site_credentials.credential_id(account_id, member_id),
            scopes,
            current.policy.resource,
            included=included,
        )
        lifetime = site_credentials.LIFETIME
        return signing.sign(current.keys, current.policy.issuer, subject, current.now(), lifetime)

    return signed


def _webauthn(site_url: str) -> WebAuthn | None:
    """Return the verifier of passkeys, None where the site has no domain name to bind them to."""
    url = urlsplit(site_url)
    domain = url.hostname or ""
    if domain != "localhost" and (url.scheme != "https" or is_address(domain)):
        return None
    from auth_service.clients.webauthn import PyWebAuthn  # noqa: PLC0415 - see that module

    return PyWebAuthn(domain, f"{url.scheme}://{url.netloc}")


def _providers(settings: AuthSettings) -> Mapping[str, Provider]:
    """Return the login providers that have a client id, by provider id."""
    known = (
        google(settings.google_client_id, settings.google_client_secret.get_secret_value()),
        github(settings.github_client_id, settings.github_client_secret.get_secret_value()),
    )
    return {provider.provider_id: provider for provider in known if provider.client_id}


def _report_part(part: str, error: str) -> None:
    log.warning("operator_part_not_shown", part=part, error=error)

"""The dependencies of the site's routes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from cryptography.fernet import Fernet

from auth_service.domain.alerts.service import Alerts
from auth_service.domain.billing_service import BillingService
from auth_service.domain.email_changes.service import EmailChanges
from auth_service.domain.explore.categories import Categories
from auth_service.domain.explore.examples import Examples
from auth_service.domain.explore.references import References
from auth_service.domain.explore.results import ToolResults
from auth_service.domain.operations import Operations
from auth_service.domain.operator_overview.service import OperatorOverview
from auth_service.domain.organisations.invitations import Invitations
from auth_service.domain.organisations.service import OrganisationService
from auth_service.domain.passkeys.service import Passkeys
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.applications import Applications
from auth_service.domain.site.bulk_imports import BulkImportService
from auth_service.domain.site.follows import FollowService
from auth_service.domain.site.imports import ImportService
from auth_service.domain.site.lists import ListService
from auth_service.domain.site.local_mails import LocalMails
from auth_service.domain.site.login_service import LoginService
from auth_service.domain.site.providers import Provider
from auth_service.domain.site.recovery import Recovery
from auth_service.domain.site.reports import ReportService
from auth_service.domain.site.sign_ups import SignUps
from auth_service.domain.two_factor.second_step import SecondStep
from auth_service.domain.two_factor.service import TwoFactor
from auth_service.web.oauth_routes import OAuthDependencies
from auth_service.web.pages import Pages

ThumbnailPolicy = Literal["ask", "always", "never"]


@dataclass(frozen=True, slots=True)
class LegalTexts:
    """The pages of terms and privacy as HTML, and whether each is the operator's own."""

    terms_html: str
    privacy_html: str
    terms_are_own: bool
    privacy_is_own: bool


@dataclass(frozen=True, slots=True)
class DataPages:
    """What pages with data show: answers for whoever is logged in, and examples for everybody.

    `thumbnails` is when pages show pictures from YouTube's servers: "ask", "always" or "never".
    """

    results: ToolResults
    examples: Examples
    categories: Categories
    references: References
    thumbnails: ThumbnailPolicy


@dataclass(frozen=True, slots=True)
class Site:
    """The use cases, the renderer of pages and their settings.

    `billing` is None where plans are not sold; `cookies` encrypts cookie values; `mail_folder` is
    shown where mails are written to files, and empty elsewhere. `local_mails` is None unless the
    site is for the people at this machine alone.
    """

    oauth: OAuthDependencies
    login_service: LoginService
    sign_ups: SignUps
    recovery: Recovery
    account_service: AccountService
    applications: Applications
    organisations: OrganisationService
    invitations: Invitations
    imports: ImportService
    bulk_imports: BulkImportService
    follows: FollowService
    lists: ListService
    reports: ReportService
    operations: Operations
    overview: OperatorOverview
    providers: Mapping[str, Provider]
    pages: Pages
    site_url: str
    mail_folder: str
    local_mails: LocalMails | None
    cookies: Fernet
    contact: str
    legal: LegalTexts
    billing: BillingService | None
    second_step: SecondStep
    two_factor: TwoFactor
    passkeys: Passkeys
    email_changes: EmailChanges
    data: DataPages
    alerts: Alerts

    @property
    def is_secure(self) -> bool:
        """True if browsers reach the site over TLS."""
        return self.site_url.startswith("https://")

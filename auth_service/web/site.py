"""The dependencies of the site's routes."""

from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.fernet import Fernet

from auth_service.domain.operations import Operations
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.applications import Applications
from auth_service.domain.site.imports import ImportService
from auth_service.domain.site.login_service import LoginService
from auth_service.domain.site.providers import Provider
from auth_service.domain.site.recovery import Recovery
from auth_service.domain.site.sign_ups import SignUps
from auth_service.web.oauth_routes import OAuthDependencies
from auth_service.web.pages import Pages


@dataclass(frozen=True, slots=True)
class Site:
    """The use cases, the renderer of pages and their settings.

    `cookies` encrypts cookie values; `mail_folder` is shown where mails are written to files, and
    empty elsewhere.
    """

    oauth: OAuthDependencies
    login_service: LoginService
    sign_ups: SignUps
    recovery: Recovery
    account_service: AccountService
    applications: Applications
    imports: ImportService
    operations: Operations
    providers: Mapping[str, Provider]
    pages: Pages
    site_url: str
    mail_folder: str
    cookies: Fernet

    @property
    def is_secure(self) -> bool:
        """True if browsers reach the site over TLS."""
        return self.site_url.startswith("https://")

"""What the site's routes share."""

from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.fernet import Fernet

from auth_service.domain.operations import Operations
from auth_service.domain.site.applications import Applications
from auth_service.domain.site.entrance import Entrance
from auth_service.domain.site.imports import OwnImports
from auth_service.domain.site.own_account import OwnAccount
from auth_service.domain.site.providers import Provider
from auth_service.domain.site.recovery import Recovery
from auth_service.domain.site.sign_ups import SignUps
from auth_service.http_face.oauth_routes import OAuthFace
from auth_service.http_face.pages import Pages


@dataclass(frozen=True, slots=True)
class Site:
    """The use cases and how pages are made.

    `cookies` seals what a browser carries through a provider; `mail_folder` is shown where mails
    are files of this machine, and empty elsewhere.
    """

    face: OAuthFace
    entrance: Entrance
    sign_ups: SignUps
    recovery: Recovery
    own_account: OwnAccount
    applications: Applications
    imports: OwnImports
    operations: Operations
    providers: Mapping[str, Provider]
    pages: Pages
    site_url: str
    mail_folder: str
    cookies: Fernet

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the site over TLS."""
        return self.site_url.startswith("https://")

"""The reports of wrong and missing sponsorships that a visitor's account has sent, on the site."""

from dataclasses import dataclass
from typing import Final, Protocol

from auth_service.domain.site.login_service import Visitor
from shapes.catalog.corrections import OwnReportPage

_PAGE: Final = 20
_LONGEST_CURSOR: Final = 1_024


class ReportCatalog(Protocol):
    """The port of the catalog; errors are those of its service."""

    async def own_reports(
        self, account_id: str, limit: int, cursor: str | None
    ) -> OwnReportPage: ...


@dataclass(frozen=True, slots=True)
class ReportService:
    """The use case of a visitor's reports. Without a catalog, there are none."""

    catalog: ReportCatalog | None

    async def page(self, visitor: Visitor, cursor: str) -> OwnReportPage:
        """Return a page of the reports of the account that the visitor acts for, the newest first.

        Raises:
            InvalidInput: The cursor is not one of this account's pages.
            Unavailable: The catalog does not respond.
        """
        if self.catalog is None:
            return OwnReportPage((), None)
        account_id = visitor.subject.account_id
        return await self.catalog.own_reports(account_id, _PAGE, cursor[:_LONGEST_CURSOR] or None)

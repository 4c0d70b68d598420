"""The pages of organisations: those of a person, the members of one, and the link of an invitation."""

from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.organisations.access import check_owner
from auth_service.domain.organisations.invitations import PATH
from auth_service.domain.organisations.model import InvitationDead
from auth_service.web.page_request import Audience, PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError

HOME: Final = "/account/organisation"
_LIST: Final = "/account/organisations"
_NOTICES: Final = {
    "created": "The organisation is created. You act for it now.",
    "joined": "You are a member now, and act for this organisation.",
    "invited": "The invitation is on its way. Its link works for seven days.",
    "invitation-revoked": "The invitation is revoked. Its link does not work any more.",
    "role": "The role is changed.",
    "renamed": "The organisation has its new name.",
    "removed": "The membership is ended, and so are the apps that were connected with it.",
    "left": "You are no longer a member. The apps that you connected for the organisation are disconnected.",
    "deleted": "The organisation is deleted.",
}


def routes(site: Site) -> list[Route]:
    """Return the routes of organisations, of the switch between accounts, and of invitations."""

    def action(path: str, handler: Any) -> Route:
        return post(site, path, handler, Audience.VISITOR)

    return [
        get(site, _LIST, _organisations, Audience.VISITOR),
        action(_LIST, _create),
        action("/account/switch", _switch),
        get(site, HOME, _members, Audience.VISITOR),
        action(f"{HOME}/invite", _invite),
        action(f"{HOME}/invitations/revoke", _revoke_invitation),
        action(f"{HOME}/role", _change_role),
        action(f"{HOME}/rename", _rename),
        action(f"{HOME}/remove", _remove),
        action(f"{HOME}/leave", _leave),
        action(f"{HOME}/delete", _delete),
        get(site, PATH, _show_invitation),
        action(PATH, _accept),
    ]


def _notice(page: PageRequest) -> str | None:
    return _NOTICES.get(page.request.query_params.get("notice", ""))


async def _organisations(page: PageRequest) -> Response:
    return page.render("organisations.html", notice=_notice(page))


async def _create(page: PageRequest) -> Response:
    organisations, visitor = page.site.organisations, page.required_visitor
    try:
        organisation_id = await organisations.create(visitor, page.value("name"))
    except ServiceError as error:
        return page.render_failure("organisations.html", error, name=page.value("name"))
    await _act_for(page, organisation_id)
    return page.redirect(f"{HOME}?notice=created")


async def _switch(page: PageRequest) -> Response:
    await page.site.organisations.switch(page.required_visitor, page.value("account"))
    return page.redirect(page.next_path or "/account")


async def _act_for(page: PageRequest, organisation_id: str) -> None:
    """Switch to an organisation whose member the visitor has become in this request."""
    visitor = await page.site.login_service.visitor(page.secret)
    if visitor is not None:
        await page.site.organisations.switch(visitor, organisation_id)


async def _members(page: PageRequest) -> Response:
    if page.required_visitor.organisation is None:
        return page.redirect(_LIST)
    return page.render("organisation.html", notice=_notice(page), **await _shown(page))


async def _shown(page: PageRequest) -> dict[str, Any]:
    site, visitor = page.site, page.required_visitor
    members = await site.organisations.members(visitor)
    owners = [member for member in members if member.role == "owner"]
    return {
        "members": members,
        "invitations": await site.invitations.pending(visitor),
        "own_id": visitor.account.account_id,
        "is_last_owner": visitor.is_owner and len(owners) == 1,
    }


async def _failure(page: PageRequest, error: ServiceError, form: str, **values: Any) -> Response:
    if page.required_visitor.organisation is None:
        raise error
    return page.render_failure(
        "organisation.html", error, error_form=form, **await _shown(page), **values
    )


async def _invite(page: PageRequest) -> Response:
    email, role = page.value("email"), page.value("role")
    try:
        confirmation = await _owner_confirmation(page, email)
        if confirmation is not None:
            return confirmation
        await page.site.invitations.invite(page.required_visitor, email, role, page.origin)
    except ServiceError as error:
        return await _failure(page, error, "invite", email=email, role=role)
    return page.redirect(f"{HOME}?notice=invited")


async def _revoke_invitation(page: PageRequest) -> Response:
    await page.site.invitations.revoke(page.required_visitor, page.value("invitation_id"))
    return page.redirect(f"{HOME}?notice=invitation-revoked")


async def _change_role(page: PageRequest) -> Response:
    organisations, visitor = page.site.organisations, page.required_visitor
    try:
        members = await organisations.members(visitor)
        account_id = page.value("account_id")
        email = next((m.email for m in members if m.account_id == account_id), "This member")
        confirmation = await _owner_confirmation(page, email)
        if confirmation is not None:
            return confirmation
        await organisations.change_role(visitor, page.value("account_id"), page.value("role"))
    except ServiceError as error:
        return await _failure(page, error, "members")
    return page.redirect(f"{HOME}?notice=role")


async def _owner_confirmation(page: PageRequest, email: str) -> Response | None:
    """Return the page that asks for the password before somebody is made an owner.

    None when the password was right, or when nobody is made an owner.

    Raises:
        OwnersOnly: The visitor is no owner.
    """
    site, visitor = page.site, page.required_visitor
    check_owner(visitor)
    if page.value("role") != "owner" or visitor.organisation is None:
        return None
    stored, _ = await site.two_factor.state(visitor)
    values: dict[str, Any] = {
        "action": page.request.url.path,
        "name": email,
        "fields": {name: page.value(name) for name in ("email", "account_id", "role")},
        "two_factor_is_on": stored is not None,
    }
    if not page.value("confirmed"):
        return page.render("organisation_owner.html", **values)
    try:
        password, code = page.value("password"), page.value("code")
        await site.two_factor.reauthenticate(visitor, password, code, page.origin)
    except ServiceError as error:
        return page.render_failure("organisation_owner.html", error, **values)
    return None


async def _rename(page: PageRequest) -> Response:
    try:
        await page.site.organisations.rename(page.required_visitor, page.value("name"))
    except ServiceError as error:
        return await _failure(page, error, "rename", new_name=page.value("name"))
    return page.redirect(f"{HOME}?notice=renamed")


async def _remove(page: PageRequest) -> Response:
    try:
        await page.site.organisations.remove(page.required_visitor, page.value("account_id"))
    except ServiceError as error:
        return await _failure(page, error, "members")
    return page.redirect(f"{HOME}?notice=removed")


async def _leave(page: PageRequest) -> Response:
    try:
        await page.site.organisations.leave(page.required_visitor)
    except ServiceError as error:
        return await _failure(page, error, "leave")
    return page.redirect(f"{_LIST}?notice=left")


async def _delete(page: PageRequest) -> Response:
    visitor = page.required_visitor
    try:
        check_owner(visitor)
        if visitor.organisation is not None:
            await page.site.account_service.reauthenticate(visitor, page.value("password"))
        await page.site.organisations.delete(visitor, page.value("confirm_name"))
    except ServiceError as error:
        return await _failure(page, error, "delete")
    return page.redirect(f"{_LIST}?notice=deleted")


async def _show_invitation(page: PageRequest) -> Response:
    token = page.request.query_params.get("token", "")
    try:
        organisation = await page.site.invitations.organisation_of(token)
    except InvitationDead as error:
        return _dead_page(page, error)
    return page.render(
        "invitation.html",
        token=token,
        organisation=organisation,
        next=_with_token(token),
    )


async def _accept(page: PageRequest) -> Response:
    token = page.value("token")
    try:
        organisation_id = await page.site.invitations.accept(page.required_visitor, token)
    except InvitationDead as error:
        return _dead_page(page, error)
    except ServiceError as error:
        organisation = await page.site.invitations.organisation_of(token)
        return page.render_failure(
            "invitation.html",
            error,
            token=token,
            organisation=organisation,
            next=_with_token(token),
        )
    await _act_for(page, organisation_id)
    return page.redirect(f"{HOME}?notice=joined")


def _dead_page(page: PageRequest, error: InvitationDead) -> Response:
    return page.render_message("This invitation does not work any more", error.public_message, 404)


def _with_token(token: str) -> str:
    """Return the path of an invitation, for after the login."""
    return f"{PATH}?token={token}"

"""Events of the audit log as sentences for the people of the account."""

import re
from collections.abc import Mapping
from typing import Final

from auth_service.domain.ports import UNKNOWN, AuditEvent

_SENTENCES: Final = {
    "account_created": "The account was created on the plan {detail}.",
    "account_deleted": "The account was deleted.",
    "account_disabled": "The account was disabled.",
    "account_enabled": "The account was enabled again.",
    "all_apps_revoked": "All apps were disconnected.",
    "app_revoked": "The app {detail} was disconnected.",
    "checkout_opened": "A payment for the plan {detail} was begun.",
    "code_refused": "A wrong code of the authenticator app was entered {detail}.",
    "consent_denied": "The app {detail} was denied access.",
    "consent_given": "The app {detail} was approved.",
    "device_approved": "A device was connected.",
    "device_denied": "A device was denied access.",
    "email_change_cancelled": "The change of the email was cancelled {detail}.",
    "email_change_requested": "A change of the email was requested {detail}.",
    "email_changed": "The email was changed {detail}.",
    "email_confirmed": "The email was confirmed {detail}.",
    "grant_revoked": "The connection of the app {detail} was ended.",
    "invitation_revoked": "An invitation was revoked.",
    "key_created": "The API key {detail} was created.",
    "key_revoked": "The API key {detail} was revoked.",
    "limits_cleared": "Limits of the account’s own were removed.",
    "limits_set": "The account was given limits of its own: {detail}.",
    "logged_in": "Logged in {detail}.",
    "logged_out": "Logged out.",
    "login_failed": "A login failed {detail}: the password was wrong.",
    "machine_added": "The program {detail} was given access.",
    "machine_removed": "The program {detail} has no access any more.",
    "member_invited": "{detail} was invited.",
    "member_joined": "A member joined: {detail}.",
    "member_left": "A member left: {detail}.",
    "member_removed": "A member was removed: {detail}.",
    "operator_made": "The account became an operator’s.",
    "operator_unmade": "The account is no operator’s any more.",
    "organisation_created": "The organisation {detail} was created.",
    "organisation_deleted": "The organisation {detail} was deleted.",
    "organisation_renamed": "The organisation was renamed: {detail}.",
    "other_sessions_ended": "All other sessions were ended.",
    "passkey_added": "A passkey was added.",
    "passkey_copied": "A login by a passkey was refused: the passkey may have been copied.",
    "passkey_removed": "A passkey was removed.",
    "password_changed": "The password was changed.",
    "password_reset": "The password was reset by a link in a mail.",
    "plan_changed": "The plan was changed from {detail}.",
    "reauthentication_failed": "A wrong password was entered to confirm a change.",
    "recovery_code_used": "A recovery code was used {detail}.",
    "recovery_codes_renewed": "New recovery codes were made.",
    "refresh_token_reused": "A token of the app {detail} was used twice, so its connection was ended.",
    "reset_asked": "A link to reset the password was requested {detail}.",
    "reset_sent": "A link to reset the password was sent.",
    "role_changed": "A role was changed: {detail}.",
    "session_ended": "A session was ended.",
    "sessions_ended": "All sessions were ended.",
    "signed_up": "The account was created {detail}.",
    "subscription_continue": "The subscription to the plan {detail} was kept.",
    "subscription_downgrade": "A change to the plan {detail} at the end of the period was requested.",
    "subscription_end": "The subscription to the plan {detail} was cancelled.",
    "subscription_upgrade": "The subscription was changed to the plan {detail}.",
    "token_issued": "The app {detail} was connected.",
    "token_refreshed": "The app {detail} renewed its access.",
    "two_factor_disabled": "Two-factor authentication was turned off.",
    "two_factor_enabled": "Two-factor authentication was turned on.",
}
_TO: Final = " to "
"""Between the former and the new value of a change."""

_EMPTY: Final = re.compile(r" (?:\(\)|(?=[.:,]))| (?= )")
_ACTORS: Final = {
    "owner": "you",
    "operator": "the operator",
    "billing": "the payment service",
    "oauth": "the app",
    UNKNOWN: "an unknown person",
}


def sentence_of(event: AuditEvent, names: Mapping[str, str]) -> str:
    """Return an event as a sentence; `names` has the names of ids that it may have in its detail.

    An event that has no sentence here is its name, in words.
    """
    detail = _TO.join(names.get(part, part) for part in event.detail.split(_TO))
    sentence = _SENTENCES.get(event.event)
    if sentence is None:
        words = event.event.replace("_", " ").capitalize()
        return f"{words}: {detail}." if detail else f"{words}."
    return (
        _EMPTY.sub("", sentence.format(detail=detail))
        if not detail
        else sentence.format(detail=detail)
    )


def actor_of(event: AuditEvent) -> str:
    """Return who did it, as the account's page names them."""
    return _ACTORS.get(event.actor, event.actor)

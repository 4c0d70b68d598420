"""The mails about organisations."""

from auth_service.domain.site.mails import Mail


def invitation(to: str, inviter: str, organisation: str, link: str) -> Mail:
    return Mail(
        to,
        "You are invited to an organisation",
        f"{inviter} invites you to the organisation “{organisation}” on Sponsorgraph. Its members share "
        f"one plan.\n\nAccept within seven days:\n{link}\n\nYou need an account of this address; the page "
        "leads to the sign-up if there is none. If you do not know who invites you, do nothing.\n",
    )


def notice(to: str, event: str) -> Mail:
    return Mail(to, event, f"{event}.\n\nYour own account stays as it is.\n")

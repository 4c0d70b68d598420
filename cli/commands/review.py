"""`sponsorgraph review`: decide the received reports one after another."""

from collections import Counter
from typing import Annotated, Final, Literal

import typer

from cli.clients.corrections import CorrectionsClient
from cli.commands._reports import corrections_client, plain, show_report
from cli.commands._shell import out, readable_errors
from servicekit.errors import Conflict, InvalidInput, NotFound
from shapes.catalog.corrections import Report

Choice = Literal["a", "r", "s", "q"]
_PROMPT: Final = "a(ccept), r(eject), s(kip) or q(uit)?"
_DECISIONS: Final = {"a": "accept", "r": "reject"}
_OUTCOMES: Final = {
    "applied": "accepted and applied",
    "accepted": "accepted; the catalogue had it already",
    "rejected": "rejected",
}


def review(
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most reports of this round.")] = 100,
) -> None:
    """Show each report that waits for review, the oldest first, and take a decision: accept, reject, skip or quit.

    The reason that is asked for is kept with the decision and shown to whoever reported. Each decision is in effect at
    once: what is left when the round is interrupted waits on.
    """
    done: Counter[str] = Counter()
    with readable_errors():
        client = corrections_client()
        reports = client.reports("received", limit)
        if not reports:
            out.print("No report waits for review.")
            return
        for index, item in enumerate(reports, 1):
            out.print(f"\n{index} of {len(reports)}", style="dim")
            show_report(client.report(item.report.id), as_json=False)
            choice = _choice()
            if choice == "q":
                break
            if choice == "s":
                done["skipped"] += 1
                continue
            try:
                _decide(client, item.report, _DECISIONS[choice])
            except (Conflict, InvalidInput, NotFound) as refusal:
                # Decided by another operator meanwhile, or an answer that does not fit: the others go on.
                out.print(plain(refusal.public_message), style="red")
                done["refused"] += 1
                continue
            done[f"{_DECISIONS[choice]}ed"] += 1
        left = len(reports) - sum(done.values())
        counts = ", ".join(f"{count} {name}" for name, count in sorted(done.items()))
        out.print(f"\n{counts or 'Nothing decided'}; {left} of this round left.")


def _decide(client: CorrectionsClient, report: Report, decision: str) -> None:
    """Ask for the reason, and for the sponsor of an accepted brand that is none yet, and send the decision."""
    reason = _reason(decision)
    sponsor = None
    if decision == "accept" and report.brand and report.sponsor is None:
        sponsor = typer.prompt(
            f"Sponsor that {plain(report.brand)} is (id or slug; empty: that name, else a new one)",
            default="",
            show_default=False,
        )
    decided = client.decide(report.id, decision, reason or None, sponsor or None)
    out.print(f"{report.id} is {_OUTCOMES[decided.report.state]}.")


def _reason(decision: str) -> str:
    """Ask why; a rejection has a reason, which whoever sent the report reads."""
    if decision == "accept":
        return typer.prompt("Why (may be empty)", default="", show_default=False)
    while not (reason := typer.prompt("Why, for whoever sent it").strip()):
        pass
    return reason


def _choice() -> Choice:
    while True:
        letter = typer.prompt(_PROMPT).strip().lower()[:1]
        match letter:
            case "a" | "r" | "s" | "q":
                return letter
            case _:
                out.print("Answer with one of the four letters.")

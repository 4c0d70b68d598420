"""A creator's first mail to a brand."""

from pydantic import Field

from gateway.completions import brands, creators
from gateway.prompts._prompt import Naming, prompt
from gateway.tools import Params, sponsor_activity, sponsors, youtuber_activity, youtubers
from gateway.tools._params import Text


class OutreachEmail(Params):
    channel: Text = Field(
        description="My channel: @handle, channel id (UC…), URL or name.", examples=["@mkbhd"]
    )
    brand: Text = Field(
        description="The brand to write to: slug, web domain or name.", examples=["squarespace"]
    )
    language: Text | None = Field(
        None, description="Language of the mail; otherwise English.", examples=["German"]
    )


@prompt(
    "outreach_email",
    title="Write to a brand",
    completers={"channel": creators, "brand": brands},
)
def outreach_email(args: OutreachEmail, tool: Naming) -> str:
    """A short first mail from a creator to a brand, with facts about both instead of flattery."""
    return (
        f'Write a first e-mail from the YouTube channel "{args.channel}" to the brand '
        f'"{args.brand}", in {args.language or "English"}, proposing a sponsorship.\n\n'
        f"1. The channel: {tool(youtubers.get)} and {tool(youtuber_activity.stats)} (how sponsored "
        "videos do against the others).\n"
        f"2. Its sponsors so far: {tool(youtuber_activity.sponsors)}. If the brand is among them, "
        "this is a mail about working together again: say so.\n"
        f"3. The brand: {tool(sponsors.get)} and {tool(sponsor_activity.youtubers)}; pick two "
        "creators like this channel whom it sponsors.\n\n"
        "Then write: a subject line of at most eight words; at most 130 words of mail; one "
        "concrete idea for a placement; one or two figures that are true of the channel; a "
        "question that can be answered with yes. No superlatives, and no figure that no tool "
        "gave. Leave [brackets] where only I know the fact, such as prices. Below the mail, list "
        "the facts that you used and their source."
    )

"""A browser for programs that open one: logs in, approves, and goes where that leads.

Reads SITE_URL, EMAIL and PASSWORD; `python -m tests.clients.approve URL`.
"""

import asyncio
import os
import sys

import httpx2

from tests.clients.person import Person


async def main(url: str) -> None:
    async with Person(os.environ["SITE_URL"]) as person:
        await person.log_in(os.environ["EMAIL"], os.environ["PASSWORD"])
        location = await person.decide(url)
    async with httpx2.AsyncClient() as browser:
        await browser.get(location)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

"""Cost of password verification."""

import statistics
import time

from auth_service.domain.passwords import Passwords


async def test_an_unknown_account_costs_as_much_as_a_wrong_password() -> None:
    passwords = Passwords()
    stored = await passwords.hash("a good long passphrase")

    async def seconds(known: str | None) -> float:
        took: list[float] = []
        for _ in range(9):
            started = time.perf_counter()
            assert not await passwords.matches("not the password", known)
            took.append(time.perf_counter() - started)
        return statistics.median(took)

    assert 0.4 < await seconds(None) / await seconds(stored) < 2.5

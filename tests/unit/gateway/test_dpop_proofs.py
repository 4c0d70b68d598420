"""Proofs of bound tokens: each works once, with its own key, also while nothing is shared."""

import pytest

from gateway.authentication.dpop_proofs import Proofs
from gateway.authentication.principal import BoundPrincipal, Principal
from servicekit.errors import Unauthenticated, Unavailable
from servicekit.http.dpop import InvalidProof
from tests.clients.proofs import Prover
from tests.fakes.gateway_ports import FakeProofMemory, entitlements, principal

URL = "https://api.example/mcp"
TOKEN = "an.access.token"
NOW = 1_800_000_000.0


class Fixture:
    """Two gateways with one memory, at a time that the test sets."""

    def __init__(self, max_remembered: int = 100) -> None:
        self.memory = FakeProofMemory()
        self.seconds = NOW
        self.prover = Prover()
        self.first, self.second = (
            Proofs(self.memory, URL, lambda: self.seconds, max_remembered) for _ in range(2)
        )

    @property
    def owner(self) -> Principal:
        return BoundPrincipal("gr_1", (), entitlements(), None, self.prover.thumbprint)

    def proof(self) -> str:
        return self.prover.proof(URL, token=TOKEN, iat=int(self.seconds))

    async def accepts(self, proofs: Proofs, proof: str) -> bool:
        try:
            await proofs.check(self.owner, TOKEN, proof)
        except InvalidProof:
            return False
        return True


async def test_a_proof_works_once_wherever_it_is_sent() -> None:
    it = Fixture()
    proof = it.proof()
    assert await it.accepts(it.first, proof)
    assert not await it.accepts(it.first, proof)
    assert not await it.accepts(it.second, proof)
    assert await it.accepts(it.second, it.proof())


async def test_a_proof_of_another_key_is_refused() -> None:
    it = Fixture()
    with pytest.raises(Unauthenticated, match="another key"):
        await it.first.check(it.owner, TOKEN, Prover().proof(URL, token=TOKEN, iat=int(NOW)))
    assert it.memory.calls == 0


async def test_a_credential_that_is_bound_to_no_key_needs_no_proof() -> None:
    it = Fixture()
    with pytest.raises(Unauthenticated, match="Bearer"):
        await it.first.check(principal(), TOKEN, it.proof())


async def test_while_the_memory_is_away_each_gateway_remembers_for_itself() -> None:
    it = Fixture()
    before = it.proof()
    assert await it.accepts(it.first, before)
    it.memory.error = Unavailable("Away.")
    during = it.proof()
    assert await it.accepts(it.first, during)
    assert not await it.accepts(it.first, during)
    assert not await it.accepts(it.first, before)


async def test_a_memory_that_is_away_is_called_once_a_second() -> None:
    it = Fixture()
    it.memory.error = Unavailable("Away.")
    for _ in range(5):
        assert await it.accepts(it.first, it.proof())
    assert it.memory.calls == 1
    it.seconds += 1
    it.memory.error = None
    assert await it.accepts(it.first, it.proof())
    assert it.memory.calls == 2


async def test_the_memory_of_one_gateway_is_bounded_and_forgets_nothing_that_counts() -> None:
    it = Fixture(max_remembered=3)
    for _ in range(5):  # what is forgotten here is in the shared memory
        assert await it.accepts(it.first, it.proof())
    it.memory.error = Unavailable("Away.")
    with pytest.raises(Unavailable):
        await it.accepts(it.first, it.proof())
    it.seconds += 130  # all of them have expired
    assert await it.accepts(it.first, it.proof())

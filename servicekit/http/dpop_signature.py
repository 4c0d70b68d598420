"""The signature of a DPoP proof, by the key in its header (RFC 9449 section 4.3, points 3 to 7).

Apart from `dpop`, as the library beneath takes 10 MB: a gateway without proofs does without it.
"""

from functools import cache
from typing import Any, Final

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey

_TYPE: Final = "dpop+jwt"
_KEYS: Final = {"EC": ECKey, "OKP": OKPKey}
_PRIVATE: Final = frozenset({"d", "k", "p", "q", "dp", "dq", "qi", "oth"})


class _Registry(jws.JWSRegistry):
    max_header_length = 1024  # a key is in it
    max_payload_length = 3072

    def get_alg(self, name: str) -> Any:
        # Many clients know it by its name from before RFC 9864, of which joserfc warns.
        return super().get_alg("Ed25519" if name == "EdDSA" else name)


@cache
def _registry(algorithms: tuple[str, ...]) -> _Registry:
    # Header parameters that nobody knows are to be ignored (RFC 7515 section 4).
    return _Registry(algorithms=algorithms, strict_check_header=False)


def verify(proof: str, algorithms: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """Return the thumbprint (RFC 7638) of the key in the proof that has signed it, and the claims.

    Raises:
        ValueError: It is no proof, or nothing that holds.
    """
    registry = _registry(algorithms)
    try:
        key = _key(jws.extract_compact(proof.encode(), registry=registry).headers())
        token = jwt.decode(proof, key, registry=registry)
        return key.thumbprint(), token.claims
    except (JoseError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("The proof does not hold.") from error


def _key(header: dict[str, Any]) -> ECKey | OKPKey:
    jwk: Any = header["jwk"]
    if str(header["typ"]).lower() != _TYPE:
        raise ValueError("It is of another type.")
    if _PRIVATE & set(jwk):
        raise ValueError("A private key is in it.")
    return _KEYS[jwk["kty"]].import_key(jwk)

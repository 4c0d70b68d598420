"""Settings of billing that are refused, and prices as people read them."""

from typing import Any

import pytest
from pydantic import ValidationError

from auth_service.domain.billing import Price
from auth_service.settings import AuthSettings
from auth_service.web.plans_routes import amount_text

WHOLE = {
    "stripe_secret_key": "sk_test_x",
    "stripe_webhook_secret": "whsec_x",
    "stripe_prices": {"creator": ["price_1"]},
}


def settings(**changes: Any) -> AuthSettings:
    return AuthSettings(
        database_url="postgresql://x/y",
        token_secret="x" * 32,  # pyright: ignore[reportArgumentType]
        grpc_token="y" * 32,  # pyright: ignore[reportArgumentType]
        **changes,
    )


def test_plans_are_sold_when_all_is_given() -> None:
    assert settings(**WHOLE).sells_plans
    assert not settings().sells_plans


@pytest.mark.parametrize("absent", WHOLE)
def test_a_part_of_billing_is_refused(absent: str) -> None:
    with pytest.raises(ValidationError, match="together"):
        settings(**{name: value for name, value in WHOLE.items() if name != absent})


@pytest.mark.parametrize("secret", ["stripe_secret_key", "stripe_webhook_secret"])
def test_a_secret_of_spaces_is_none(secret: str) -> None:
    with pytest.raises(ValidationError, match="together"):
        settings(**(WHOLE | {secret: " \t "}))


@pytest.mark.parametrize(
    "changes",
    [
        {"stripe_prices": {"free": ["price_1"]}},
        {"stripe_prices": {"enterprise": ["price_1"]}},
        {"stripe_prices": {"creator": []}},
        {"stripe_prices": {"creator": ["price_1"], "creator_agent": ["price_2", "price_1"]}},
        {"stripe_api_base": "http://api.stripe.com"},
        {"stripe_api_base": "http://127.0.0.1.evil.example"},
        {"stripe_grace_days": -1},
        {"contact": "http://operator.example"},
        {"contact": "javascript:alert(1)"},
        {"contact": "nobody"},
        {"contact": 'a@b.example" onclick=x'},
    ],
)
def test_settings_that_cannot_be_meant_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        settings(**(WHOLE | changes))


@pytest.mark.parametrize(
    ("price", "text"),
    [
        (Price(900, "eur", "month"), "9.00 EUR a month"),
        (Price(123_450, "usd", "year"), "1,234.50 USD a year"),
        (Price(900, "jpy", "month"), "900 JPY a month"),
        (Price(9_000, "kwd", "3 months"), "9.000 KWD every 3 months"),
    ],
)
def test_a_price_is_written_with_the_digits_of_its_currency(price: Price, text: str) -> None:
    assert amount_text(price) == text

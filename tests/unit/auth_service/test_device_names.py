"""Browsers and places of sessions in words."""

import pytest

from auth_service.domain.site.device_names import device_name

_WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
_IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (f"{_WINDOWS} {_WEBKIT} Chrome/139.0.0.0 Safari/537.36", "Chrome on Windows"),
        (f"{_WINDOWS} {_WEBKIT} Chrome/139.0.0.0 Safari/537.36 Edg/139.0", "Edge on Windows"),
        (f"{_IPHONE} Version/18.0 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
        (f"{_IPHONE} CriOS/139.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 15) {_WEBKIT} Chrome/139.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        (
            f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_WEBKIT} Chrome/139.0 Safari/537.36",
            "Chrome on macOS",
        ),
        ("Lost Laptop", "Lost Laptop"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_is_named_with_its_system(user_agent: str, name: str) -> None:
    assert device_name(user_agent) == name

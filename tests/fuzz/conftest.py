"""The services that are fuzzed: those of the integration tests."""

from tests.integration.auth_service.conftest import auth_settings, service
from tests.integration.gateway.conftest import backends, open_gateway, valkey

__all__ = ["auth_settings", "backends", "open_gateway", "service", "valkey"]

"""The tables by which tests/attack tries everything name everything: CI runs those modules on some days only."""

from tests.attack import patterns, routes, test_other_accounts, test_patterns


def test_every_function_that_makes_a_pattern_is_known() -> None:
    assert patterns.inside_functions(test_patterns.ROOT) == set(test_patterns.IN_FUNCTIONS)


def test_every_route_has_been_thought_of() -> None:
    forms = {("POST", path) for path in test_other_accounts.NAMING}
    pages = {("GET", path) for path in test_other_accounts.NAMING_PAGES}
    others = (
        test_other_accounts.PUBLIC
        | test_other_accounts.OWN_PAGES
        | test_other_accounts.PASSKEYS
        | test_other_accounts.ALERTS
        | test_other_accounts.OPERATORS
    )
    assert routes.served() == forms | pages | others


def test_every_grpc_service_has_been_thought_of() -> None:
    services = {
        service.full_name
        for file in test_other_accounts.FILES
        for service in file.DESCRIPTOR.services_by_name.values()
    }
    assert services == set(test_other_accounts.RPCS)

"""docs/clients.md says what the code does."""

from catalog_service.domain.sql.errors import MAX_REQUESTS
from gateway.tools import ToolCatalogue, all_tools
from scripts.gen_clients import page_of_repository


def test_the_page_of_clients_says_what_is_listed_without_a_choice() -> None:
    tools = ToolCatalogue(all_tools())
    listed = tools.offered(tool.feature for tool in tools if tool.feature)
    page = page_of_repository()
    assert f"lists at most {len(listed)} of the {len(list(tools))}; `all` lists these too" in page


def test_the_page_of_clients_says_what_a_statement_without_rows_counts_as() -> None:
    sentence = f"counts as 1 for each full second that it took, at most {MAX_REQUESTS};"
    assert sentence in page_of_repository()

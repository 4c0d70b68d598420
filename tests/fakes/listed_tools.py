"""The tools that a connection lists which chooses no toolset."""

from typing import Final

from gateway.tools import Tool, all_tools, is_listed

LISTED: Final[tuple[Tool, ...]] = tuple(tool for tool in all_tools() if is_listed(tool, None))

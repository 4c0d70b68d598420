"""Whether a caller may call a tool."""

from gateway.authentication.principal import Principal
from gateway.domain.errors import InsufficientScope, PlanRequired
from gateway.tools._naming import DOTTED, ToolNaming
from gateway.tools._tool import Tool


def check_permission(tool: Tool, principal: Principal, naming: ToolNaming = DOTTED) -> None:
    """Check that the plan includes a tool and that the credential has its scope.

    The plan comes first: no consent of the user would make up for what it lacks.

    Args:
        tool: The tool.
        principal: The caller.
        naming: The names under which the caller's connection lists tools.

    Raises:
        PlanRequired: The plan does not include it.
        InsufficientScope: The credential lacks the scope.
    """
    entitlements = principal.entitlements
    if tool.feature is not None and tool.feature not in entitlements.features:
        raise PlanRequired(f"The plan {entitlements.plan_name} does not include {tool.name}.")
    if tool.scope not in principal.scopes:
        raise InsufficientScope(
            f"This credential lacks the scope {tool.scope}, which {naming.of(tool)} needs.",
            needed=tool.scope,
        )

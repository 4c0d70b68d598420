"""The methods of the protocol that serve the content of the service, by name."""

from dataclasses import dataclass
from typing import Final

from gateway.mcp.dispatcher import Methods
from gateway.mcp.icons import FamilyIcons
from gateway.mcp.methods.completion import CompletionMethods
from gateway.mcp.methods.prompts_get import PromptMethods
from gateway.mcp.methods.resources_read import ResourceMethods
from gateway.mcp.methods.subscriptions import Subscriptions
from gateway.mcp.methods.tasks import TaskMethods
from gateway.mcp.methods.tools_call import ToolCalls
from gateway.mcp.methods.tools_list import (
    PromptList,
    StaticList,
    ToolList,
    published_resource,
)
from gateway.mcp.results import Incoming, Needs, Result
from gateway.prompts import PromptCatalogue
from gateway.resources import ResourceCatalogue
from gateway.views import VIEWS

_SUBSCRIPTION: Final = Needs(stream=True, can_end_early=True)
_ELICITATION: Final = Needs(elicitation=True)


@dataclass(frozen=True)
class Content:
    """The parts that the methods are made of."""

    tool_calls: ToolCalls
    tool_list: ToolList
    resources: ResourceCatalogue
    prompts: PromptCatalogue
    completion: CompletionMethods
    subscriptions: Subscriptions
    tasks: TaskMethods
    icons: FamilyIcons


def methods(content: Content) -> Methods:
    """Return the methods of the service's content."""
    prompt_methods = PromptMethods(content.prompts)
    resource_methods = ResourceMethods(content.resources, content.tool_calls)
    listed = [published_resource(resource) for resource in content.resources.resources]
    resources = StaticList("resources", [*listed, *(view.listed for view in VIEWS)], content.icons)
    templates = StaticList(
        "resourceTemplates", map(published_resource, content.resources.templates), content.icons
    )
    prompts = PromptList(content.prompts, content.icons)

    async def list_tools(incoming: Incoming) -> Result:
        features = incoming.principal.entitlements.features
        return content.tool_list.list(incoming, features)

    async def list_resources(incoming: Incoming) -> Result:
        return resources.list(incoming)

    async def list_templates(incoming: Incoming) -> Result:
        return templates.list(incoming)

    async def list_prompts(incoming: Incoming) -> Result:
        return prompts.list(incoming)

    async def get_prompt(incoming: Incoming) -> Result:
        return prompt_methods.get(incoming)

    return Methods(
        shared={
            "tools/call": content.tool_calls.call,
            "tools/list": list_tools,
            "resources/list": list_resources,
            "resources/templates/list": list_templates,
            "resources/read": resource_methods.read,
            "prompts/list": list_prompts,
            "prompts/get": get_prompt,
            "completion/complete": content.completion.complete,
        },
        stateless={"subscriptions/listen": content.subscriptions.listen, **content.tasks.by_name},
        session={},
        needs={
            "tools/call": content.tool_calls.needs,
            "subscriptions/listen": lambda _message: _SUBSCRIPTION,
            # Neither requests input today; what a caller sends for it is checked all the same.
            "prompts/get": lambda _message: _ELICITATION,
            "resources/read": lambda _message: _ELICITATION,
        },
    )

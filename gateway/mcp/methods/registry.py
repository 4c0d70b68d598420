"""Every method of the protocol that is about the service's content, by its name."""

from dataclasses import dataclass

from gateway.mcp.dispatcher import Methods
from gateway.mcp.methods.completion import CompletionMethods
from gateway.mcp.methods.param_headers import check_headers
from gateway.mcp.methods.prompts_get import PromptMethods
from gateway.mcp.methods.resources_read import ResourceMethods
from gateway.mcp.methods.subscriptions import Subscriptions
from gateway.mcp.methods.tasks import TaskMethods, created
from gateway.mcp.methods.tools_call import ToolCalls, ToolSuccess
from gateway.mcp.methods.tools_list import (
    StaticList,
    ToolList,
    published_prompt,
    published_resource,
)
from gateway.mcp.progress import progress_of
from gateway.mcp.rate_limit_headers import quota_headers, quota_meta
from gateway.mcp.results import Incoming, Result, answered
from gateway.prompts import PromptCatalogue
from gateway.resources import ResourceCatalogue
from gateway.views import VIEWS


@dataclass(frozen=True)
class Content:
    """What the methods are made of."""

    calls: ToolCalls
    tools: ToolList
    resources: ResourceCatalogue
    prompts: PromptCatalogue
    completing: CompletionMethods
    listening: Subscriptions
    tasks: TaskMethods


def methods(content: Content) -> Methods:
    """The methods that ask for content."""
    prompting = PromptMethods(content.prompts, content.tools)
    reading = ResourceMethods(content.resources, content.calls)
    listed = [published_resource(resource) for resource in content.resources.resources]
    resources = StaticList("resources", [*listed, *(view.listed for view in VIEWS)])
    templates = StaticList(
        "resourceTemplates", map(published_resource, content.resources.templates)
    )
    prompts = StaticList("prompts", map(published_prompt, content.prompts.prompts))

    async def call_tool(incoming: Incoming) -> Result:
        return await _called(content.calls, incoming)

    async def list_tools(incoming: Incoming) -> Result:
        features = incoming.principal.entitlements.features
        return content.tools.list(incoming.message, incoming.caller, features)

    async def list_resources(incoming: Incoming) -> Result:
        return resources.list(incoming.message, incoming.caller)

    async def list_templates(incoming: Incoming) -> Result:
        return templates.list(incoming.message, incoming.caller)

    async def list_prompts(incoming: Incoming) -> Result:
        return prompts.list(incoming.message, incoming.caller)

    async def get_prompt(incoming: Incoming) -> Result:
        return prompting.get(incoming)

    return Methods(
        shared={
            "tools/call": call_tool,
            "tools/list": list_tools,
            "resources/list": list_resources,
            "resources/templates/list": list_templates,
            "resources/read": reading.read,
            "prompts/list": list_prompts,
            "prompts/get": get_prompt,
            "completion/complete": content.completing.complete,
        },
        modern={"subscriptions/listen": content.listening.listen, **content.tasks.by_name},
        legacy={},
        asks=content.calls.asks,
    )


async def _called(calls: ToolCalls, incoming: Incoming) -> Result:
    caller = incoming.caller
    params = incoming.message.params
    if caller.is_stateless:
        check_headers(calls.find(params.get("name")), params.get("arguments"), incoming.request)
    notify = incoming.notify if caller.is_client else None
    progress = progress_of(incoming.message, notify, incoming.place)
    outcome = await calls.call(
        params,
        incoming.principal,
        progress,
        incoming.elicitor,
        supports_tasks=caller.supports_tasks,
    )
    if isinstance(outcome, ToolSuccess):
        told = answered(outcome.answer) if outcome.task is None else created(outcome.task)
        return Result(
            {**told, "_meta": quota_meta(outcome.quota)},
            quota_headers(outcome.quota),
        )
    quota = outcome.quota
    if not caller.is_client:
        outcome.script.headers += () if quota is None else quota_headers(quota)
        raise outcome.script
    return Result(
        {
            "content": [{"type": "text", "text": outcome.text}],
            "structuredContent": {"error": outcome.facts},
            "isError": True,
            "_meta": {} if quota is None else quota_meta(quota),
        },
        () if quota is None else quota_headers(quota),
    )

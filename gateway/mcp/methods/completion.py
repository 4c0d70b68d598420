"""`completion/complete`: completions of a half-typed argument. Free, but burst-limited."""

from collections.abc import Mapping
from typing import Any, cast

from gateway.completions import Completer, Completion, CompletionContext
from gateway.domain.errors import InsufficientScope
from gateway.domain.ports import Catalog
from gateway.mcp.errors import tool_failure
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.results import Incoming, Result
from gateway.prompts import PromptCatalogue, UnknownPrompt
from gateway.quota.limiter import Quota
from gateway.resources import ResourceCatalogue
from servicekit.errors import InvalidInput, ServiceError

_SCOPE = "catalog:read"


class CompletionMethods:
    """Complete arguments of prompts and variables of resource templates."""

    def __init__(
        self, prompts: PromptCatalogue, resources: ResourceCatalogue, quota: Quota, catalog: Catalog
    ) -> None:
        self._prompts = prompts
        self._resources = resources
        self._quota = quota
        self._context = CompletionContext(catalog)

    async def complete(self, incoming: Incoming) -> Result:
        """Return the result of `completion/complete`.

        Raises:
            ProtocolError: The request names no prompt, template or argument, or comes too often.
            InsufficientScope: The credential does not reach the catalog.
        """
        completer, typed = self._requested(incoming.message.params)
        if _SCOPE not in incoming.principal.scopes:
            raise InsufficientScope(
                f"This credential lacks the scope {_SCOPE}, which completions need.", needed=_SCOPE
            )
        if completer is None:
            return _result(Completion())
        try:
            await self._quota.admit(incoming.principal, "completion", 0)
            return _result(await completer(typed, self._context))
        except InvalidInput:  # such as a mark alone, which somebody has just begun with
            return _result(Completion())
        except ServiceError as error:
            failure = tool_failure(error, "")
            raise failure.protocol_error(incoming.caller, incoming.naming) from None

    def _requested(self, params: dict[str, Any]) -> tuple[Completer | None, str]:
        """Return the completer, or None if there is none for the argument, and the text so far."""
        argument = _object(params, "argument")
        name, typed = argument.get("name"), argument.get("value")
        if not isinstance(name, str) or not isinstance(typed, str):
            raise _wrong("`params.argument` needs `name` and `value`, both strings.")
        known, completers = self._arguments_of(_object(params, "ref"))
        if name not in known:
            raise _wrong(f"There is no argument {name[:80]}. There are: {', '.join(known)}.")
        return completers.get(name), typed

    def _arguments_of(self, ref: Mapping[str, Any]) -> tuple[list[str], Mapping[str, Completer]]:
        match ref:
            case {"type": "ref/prompt", "name": str(name)}:
                try:
                    prompt = self._prompts.find(name)
                except UnknownPrompt as unknown:
                    raise _wrong(unknown.public_message) from None
                return list(prompt.params.model_fields), prompt.completers
            case {"type": "ref/resource", "uri": str(uri)}:
                resource = self._resources.by_address(uri)
                if resource is None:
                    raise _wrong(f"There is no resource template {uri[:120]}.")
                return list(resource.completers), resource.completers
            case _:
                raise _wrong(
                    "`params.ref` must be a ref/prompt with `name` or a ref/resource with `uri`."
                )


def _result(completion: Completion) -> Result:
    fields = {"values": completion.values, "hasMore": completion.has_more}
    return Result({"completion": fields})


def _object(params: dict[str, Any], name: str) -> Mapping[str, Any]:
    member = params.get(name)
    if not isinstance(member, dict):
        raise _wrong(f"`params.{name}` must be an object.")
    return cast("dict[str, Any]", member)


def _wrong(text: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, text)

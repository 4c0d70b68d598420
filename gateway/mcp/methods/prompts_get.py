"""`prompts/get`: words for a model, with the tools under the names that the client sees. Free."""

from gateway.domain.errors import InvalidArguments
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.results import Incoming, Result
from gateway.prompts import PromptCatalogue, UnknownPrompt


class PromptMethods:
    """Render prompts."""

    def __init__(self, prompts: PromptCatalogue) -> None:
        self._prompts = prompts

    def get(self, incoming: Incoming) -> Result:
        """Return the result of `prompts/get`.

        Raises:
            ProtocolError: There is no such prompt, or its arguments are wrong.
        """
        params = incoming.message.params
        name = params.get("name")
        if not isinstance(name, str):
            raise ProtocolError(INVALID_PARAMS, "`params.name` must be the name of a prompt.")
        arguments = params.get("arguments")
        try:
            prompt = self._prompts.find(name, incoming.toolsets)
            text = prompt.text({} if arguments is None else arguments, incoming.naming.of)
        except (UnknownPrompt, InvalidArguments) as wrong:
            raise ProtocolError(INVALID_PARAMS, wrong.public_message) from None
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return Result({"description": prompt.description, "messages": [message]})

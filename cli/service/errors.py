"""Errors of the service's use from a terminal. Their messages are for the person there."""


class TerminalError(Exception):
    """Something that the person can do something about."""


class AddressError(TerminalError):
    """An address is none, or not safe to send tokens to."""


class LoginError(TerminalError):
    """There is no login, or none could be had."""


class CallError(TerminalError):
    """A call was refused, or nobody answered it."""


class ArgumentError(TerminalError):
    """An argument is not what the tool takes."""


class UnlistedToolError(ArgumentError):
    """The service lists no such tool for this person; their plan may lack it."""

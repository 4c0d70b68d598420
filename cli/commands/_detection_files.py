"""Errors of the files that the detect commands read and write, each told in one sentence."""

import gzip
import json
from collections.abc import Generator
from contextlib import contextmanager

import typer

from cli.commands._shell import print_error


@contextmanager
def one_sentence() -> Generator[None]:
    """End the command with one sentence on what is wrong with a file."""
    try:
        yield
    except (OSError, ValueError, EOFError) as error:
        print_error(sentence_of(error))
        raise typer.Exit(2) from error


def sentence_of(error: OSError | ValueError | EOFError) -> str:
    """Return what is wrong with a file; messages of decoders are put in other words."""
    cause = error.__cause__ if isinstance(error.__cause__, ValueError) else error
    where = str(error).split(": ", 1)[0] if cause is not error else "The file"
    if isinstance(error, gzip.BadGzipFile):
        return "The file ends in .gz and is not compressed by gzip."
    if isinstance(error, EOFError):
        return "The compressed file breaks off before its end."
    if isinstance(error, OSError):
        return f"{error.filename or 'The file'}: {(error.strerror or str(error)).lower()}."
    if isinstance(cause, UnicodeDecodeError):
        return f"{where} is not UTF-8 text."
    if isinstance(cause, json.JSONDecodeError):
        return f"{where} is not a line of JSON."
    return f"{str(error).rstrip('.')}."

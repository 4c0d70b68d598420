"""Names that people give to what they make: one line that a page, a mail and a terminal can show."""

from servicekit.errors import InvalidInput


def checked_name(name: str, noun: str, longest: int) -> str:
    """Return a name with its whitespace collapsed.

    Raises:
        InvalidInput: It is empty, longer than `longest` characters, or has characters that are not
            printed; the message says of which `noun` ("an API key") it is the name.
    """
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= longest:
        raise InvalidInput(
            f"The name of {noun} has 1 to {longest} characters.", details={"field": "name"}
        )
    if not cleaned.isprintable():
        raise InvalidInput(
            f"The name of {noun} has control characters: give it as it is read.",
            details={"field": "name"},
        )
    return cleaned

"""Native programs: many small instructions in one call, without Python between them.

An optional accelerator: the planner turns runs of small ops into programs where the extension module is built. Nothing here
knows of graphs. `instructions` is the vocabulary, `program` builds programs, `src` is the runner in C++.
"""

from headrace.native.loading import runner, why_not


def available() -> bool:
    """Whether programs can be built and run in this process."""
    return not why_not()


def instruction_set() -> str:
    """The instruction set that the runner chose for this processor, or nothing where there is no runner."""
    name: str = runner().INSTRUCTION_SET if available() else ""
    return name


def description() -> str:
    """What `headrace doctor` says of it.

    Example:
        >>> description().split(",")[0] in ("on", "off")
        True
    """
    if not available():
        return f"off, {why_not()}"
    return f"on, {instruction_set()}, one thread a step"


__all__ = ["available", "description", "instruction_set", "why_not"]

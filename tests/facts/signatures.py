"""Signatures as the facts have them, and whether ours takes every call that TensorFlow's takes."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "oracle"))

from signature_text import signature_text, value_text

from headrace.core.dtypes import TF_VALUE_DTYPES

DTYPE_NAMES = {dtype.name for dtype in TF_VALUE_DTYPES}

# The signature of a decorator that does not tell what it decorates.
UNKNOWN = ("(*args, **kwargs)", "(*args, **kwds)")


@dataclass(frozen=True)
class Parameters:
    """The parameters of a callable: name to default as text, None where there is none."""

    positional: dict[str, str | None]
    keyword_only: dict[str, str | None]
    takes_more: bool
    takes_keywords: bool


def parameters(text: str) -> Parameters:
    """Reads what `signature_text` writes."""
    positional: dict[str, str | None] = {}
    keyword_only: dict[str, str | None] = {}
    takes_more = takes_keywords = False
    into = positional
    for part in top_level_parts(text[1:-1]):
        name, equals, default = part.partition("=")
        if name.startswith("**"):
            takes_keywords = True
        elif name.startswith("*"):
            takes_more = name != "*"
            into = keyword_only
        else:
            into[name] = plain_default(default) if equals else None
    return Parameters(positional, keyword_only, takes_more, takes_keywords)


def top_level_parts(text: str) -> list[str]:
    """What stands between the commas that no bracket or quote holds."""
    parts, depth, quote, begin = [], 0, "", 0
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[i - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [part for part in [*parts, text[begin:].strip()] if part]


def plain_default(text: str) -> str:
    """A default without what makes no difference to a caller.

    A dtype may be given by name and a list as a tuple; `V1` ends names of classes that are public without it.
    """
    text = re.sub(r"'(\w+)'", lambda match: match[1] if match[1] in DTYPE_NAMES else match[0], text)
    return text.replace("[", "(").replace("]", ")").removesuffix("V1")


def differences(theirs: str, ours: str) -> list[str]:
    """Why a call that fits `theirs` might not fit `ours` or mean something else; both are texts of signatures."""
    if theirs in UNKNOWN:
        return []
    expected, got = parameters(theirs), parameters(ours)
    found = []
    names = list(got.positional)[: len(expected.positional)]
    if names != list(expected.positional):
        found.append(f"positional parameters {names} instead of {list(expected.positional)}")
    for name, default in (expected.positional | expected.keyword_only).items():
        known = got.positional | got.keyword_only
        if name not in known:
            found.append(f"no parameter {name}")
        elif default is None and known[name] is not None:
            found.append(f"{name} need not be given")
        elif known[name] != default and not (default or "").startswith("<"):
            found.append(f"{name}={known[name]} instead of {default}")
    for name, default in (got.positional | got.keyword_only).items():
        if default is None and name not in expected.positional and name not in expected.keyword_only:
            found.append(f"{name} has no default")
    if expected.takes_more and not got.takes_more:
        found.append("no *args")
    if expected.takes_keywords and not got.takes_keywords:
        found.append("no **kwargs")
    return found


def text_of(value: Any) -> str:
    """The signature of one of our callables as text."""
    try:
        return signature_text(inspect.signature(value))
    except (TypeError, ValueError) as error:
        return f"({error})"


def member_differences(cls: type, member: str, theirs: str) -> list[str]:
    """What differs of a method; what Python itself defines has no signature of its own."""
    if isinstance(inspect.getattr_static(cls, member), type(list.index) | type(object.__init__)):
        return differences(theirs, text_of(cls)) if member == "__init__" else []
    return differences(theirs, text_of(getattr(cls, member)))


def fact_differences(path: str, fact: dict[str, Any], value: Any) -> list[str]:
    """What differs between a public name of ours and what is known of TensorFlow's: `name: what` for each thing."""
    ((kind, known),) = fact.items()
    if kind == "function" and known is not None:
        return [f"{path}: {what}" for what in differences(known, text_of(value))]
    if kind == "class":
        present = {name: text for name, text in known.items() if text is not None and hasattr(value, name)}
        return [f"{path}.{m}: {what}" for m, text in present.items() for what in member_differences(value, m, text)]
    if kind == "value" and known is not None and value_text(value) != known:
        return [f"{path}: {value_text(value)} instead of {known}"]
    return []

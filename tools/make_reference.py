"""Writes the reference pages of the site, while mkdocs builds it: a page a public module, and a page a family of ops.

Every public name is described once, at its shortest path; other paths link there. What is said is the docstring, with the
signature and the place in the sources.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import mkdocs_gen_files

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import headrace
from headrace.api.lazy import finder
from headrace.api.op_index import op_types
from headrace.api.op_table import TYPES
from headrace.cli.op_card import op_card

ROOT = Path(headrace.__file__).resolve().parent.parent
_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example|Examples|References|Note)s?:$")
_ITEM = re.compile(r"^(\*{0,2}[\w, *]+): (.*)$")


def pages() -> dict[str, list[tuple[str, Any]]]:
    """The public modules with their public names and what these stand for."""
    served = finder()
    found: dict[str, list[tuple[str, Any]]] = {}
    for path in served.public_modules():
        names = [name for name in served.public_names(path) if not name.startswith("_")]
        rows = []
        for name in names:
            try:
                value = served.resolve(path, name)
            except (AttributeError, ImportError):
                continue
            if not isinstance(value, ModuleType):
                rows.append((name, value))
        found[path] = rows
    return found


def page_of(path: str) -> str:
    """The file of a module's page."""
    return f"reference/{path or 'tf'}.md"


def full_name(path: str, name: str) -> str:
    """A name as programs spell it."""
    return f"tf.{path}.{name}" if path else f"tf.{name}"


def anchor(name: str) -> str:
    """Where on its page a name is described."""
    return re.sub(r"[^\w.-]", "", name).lower()


def homes(found: dict[str, list[tuple[str, Any]]]) -> dict[int, tuple[str, str]]:
    """Of each object the path and name at which it is described: the shortest, those of contrib and v2 last."""
    best: dict[int, tuple[tuple[bool, int, str], str, str]] = {}
    for path, rows in found.items():
        for name, value in rows:
            if not _is_described(value):
                continue
            key = (path.startswith(("contrib", "compat")), len(full_name(path, name)), full_name(path, name))
            if id(value) not in best or key < best[id(value)][0]:
                best[id(value)] = key, path, name
    return {identity: (path, name) for identity, (_, path, name) in best.items()}


def _is_described(value: object) -> bool:
    return inspect.isclass(value) or callable(value)


def described(name: str, value: Any) -> Iterator[str]:
    """The lines about one name."""
    yield f"## `{name}` {{ #{anchor(name)} }}\n"
    if not _is_described(value):
        yield f"A constant of type `{type(value).__name__}`: `{_short(value)}`\n"
        return
    signature = _signature(value)
    kind = "class " if inspect.isclass(value) else ""
    yield f"```python\n{kind}{name.rpartition('.')[2]}{signature}\n```\n"
    yield from _docstring(inspect.getdoc(value) or "")
    if inspect.isclass(value):
        yield from _members(value)
    yield from _source(value)


def _members(value: type) -> Iterator[str]:
    for name, member in sorted(vars(value).items()):
        if name.startswith("_") or not (
            inspect.isfunction(member) or isinstance(member, (property, classmethod, staticmethod))
        ):
            continue
        text = inspect.getdoc(member) or ""
        function = getattr(member, "__func__", member)
        call = "" if isinstance(member, property) else _signature(function)
        yield f'??? quote "`{name}{_brief(call)}`"\n'
        for line in "\n".join(_docstring(text)).splitlines():
            yield f"    {line}" if line else ""
        yield ""


def _brief(call: str) -> str:
    one_line = " ".join(call.split()).replace('"', "'").replace("`", "'")
    return one_line if len(one_line) < 100 else "(…)"


def _signature(value: Callable[..., Any]) -> str:
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(…)"
    text = re.sub(r" at 0x[0-9a-f]+", "", signature).replace("'", "")
    if len(text) < 90:
        return text
    parts = _parts(text[1 : text.rindex(")")])
    return "(\n" + "".join(f"    {part},\n" for part in parts) + ")" + text[text.rindex(")") + 1 :]


def _parts(text: str) -> list[str]:
    """The parameters of a signature: divided at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _docstring(text: str) -> Iterator[str]:
    """A docstring of our form as Markdown: its sections become lists and code."""
    section, block = "", []
    for line in [*text.splitlines(), "Example:"]:
        match = _SECTION.match(line)
        if match is None:
            block.append(line)
            continue
        yield from _section(section, block)
        section, block = match[1], []


def _section(section: str, lines: list[str]) -> Iterator[str]:
    text = inspect.cleandoc("\n".join(lines)) if section else "\n".join(lines).strip()
    if not text:
        return
    if not section:
        yield f"{_escaped(text)}\n"
    elif section in ("Example", "Examples"):
        yield f"```pycon\n{text}\n```\n"
    else:
        yield f"**{section}**\n"
        if section in ("Args", "Attributes", "Raises"):
            yield from _items(text)
        else:
            yield f"{_escaped(text)}\n"


def _items(text: str) -> Iterator[str]:
    for line in text.splitlines():
        match = _ITEM.match(line)
        if match:
            names = ", ".join(f"`{name.strip()}`" for name in match[1].split(","))
            yield f"- {names}: {_escaped(match[2])}"
        else:
            yield f"    {_escaped(line.strip())}" if line.startswith(" ") else f"- {_escaped(line)}"
    yield ""


def _escaped(text: str) -> str:
    """Text in which what Markdown would take for a link or HTML is text, outside of code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\[\]*_])", r"\\\1", escape(part, quote=False)) for part in parts
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:79]}…"


def _source(value: Any) -> Iterator[str]:
    try:
        function = inspect.unwrap(value)
        file = Path(inspect.getsourcefile(function) or "").resolve()
        path = file.relative_to(ROOT)
    except (TypeError, OSError, ValueError):
        return
    code = getattr(function, "__code__", None)
    line = code.co_firstlineno if code else _classes(file).get(function.__qualname__)
    if line is not None:
        yield f"<small>Source: `{path}`, line {line}</small>\n"


@functools.cache
def _classes(file: Path) -> dict[str, int]:
    """Where the classes of a file begin, by their qualified names."""
    found: dict[str, int] = {}
    waiting: list[tuple[ast.AST, str]] = [(ast.parse(file.read_text(encoding="utf-8")), "")]
    while waiting:
        node, prefix = waiting.pop()
        for each in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(each, ast.ClassDef):
                first = min(each.decorator_list, key=lambda decorator: decorator.lineno, default=each)
                found.setdefault(prefix + each.name, first.lineno)
                inner = f"{prefix}{each.name}."
            elif isinstance(each, ast.FunctionDef):
                inner = f"{prefix}{each.name}.<locals>."
            waiting.append((each, inner))
    return found


def write_modules() -> None:
    """The pages of public modules, and their index."""
    found = pages()
    places = homes(found)
    index = ["# Public names\n", f"{sum(map(len, found.values())):,} names in {len(found)} modules.\n"]
    for path, rows in sorted(found.items()):
        if not rows:
            continue
        title = f"tf.{path}" if path else "tf"
        lines = [f"# `{title}`\n"]
        for name, value in rows:
            home = places.get(id(value))
            if home is None or home == (path, name):
                lines += described(full_name(path, name), value)
            else:
                there = full_name(*home)
                target = Path(page_of(home[0])).name
                link = f"[`{there}`]({target}#{anchor(there)})"
                lines += [
                    f"## `{full_name(path, name)}` {{ #{anchor(full_name(path, name))} }}\n",
                    f"The same as {link}.\n",
                ]
        _write(page_of(path), lines)
        index.append(f"- [`{title}`]({Path(page_of(path)).name}): {len(rows)} names")
    _write("reference/index.md", index)


def write_ops() -> None:
    """The pages of ops, a family a page, and their index."""
    families: dict[str, list[str]] = defaultdict(list)
    for module, types in TYPES.items():
        family = ".".join(module.split(".")[:2])
        if family.startswith("ops."):
            families[family.partition(".")[2]] += [name for name in types.split() if not name.startswith("_")]
    index = ["# Operations\n", f"{len(op_types())} op types; `headrace op TYPE` says the same in a terminal.\n"]
    for family, types in sorted(families.items()):
        lines = [f"# Operations: {family}\n"]
        for name in sorted(types):
            lines += [f"## {name}\n", f"```text\n{op_card(name).replace(str(ROOT), '.')}\n```\n"]
        _write(f"reference/ops/{family}.md", lines)
        links = ", ".join(f"[{name}]({family}.md#{name.lower()})" for name in sorted(types))
        index.append(f"**[{family}]({family}.md)**: {links}\n")
    _write("reference/ops/index.md", index)


def _write(path: str, lines: list[str]) -> None:
    with mkdocs_gen_files.open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


write_modules()
write_ops()

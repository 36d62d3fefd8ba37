"""Where programs reach an op: the public names whose functions, classes and methods make such operations.

The text of the package is read as a graph of what mentions what, from those that make the operation outwards. Only files
that have one of the names looked for in them are parsed.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import headrace
from headrace.api.op_table import TYPES
from headrace.api.tables import public_homes
from headrace.cli.source_text import Definition, Place, SourceModule, defined_in
from headrace.core.registry import REGISTRY, OpDecl, find
from headrace.core.signature import function_name

_ROOT = Path(headrace.__file__).parent
# From an op to a public name it may be a few functions: `tf.layers.dense` calls what calls MatMul.
_STEPS = 9
# So far after the first public names go those with a word of the op's: `tf.get_variable` makes what makes a `tf.Variable`.
_FURTHER = 4
_MAX_NAMES = 5
# In how many modules there may be a method of the same name where it is called on something unknown.
_CLASSES = 2
# In how many modules a name may be for its users to be looked for, after a public name is found and before.
_FEW, _MANY = 40, 100
# Rooms that look at operations of any type, or make some for every program.
_PASSED_OVER = frozenset(
    {"api", "cli", "core", "files", "messages", "plan", "runtime", "shim", "util", "testing", "torch"}
)
# Methods that are the use of the object itself.
_APPLYING = frozenset({"build", "call"})


def reached_as(decl: OpDecl) -> list[str]:
    """The public names that lead to an op, the nearest first, at most five; names of `tf.contrib` where there are no others.

    Args:
        decl: its declaration.

    Example:
        >>> from headrace.core.registry import find
        >>> reached_as(find("LSTMBlockCell"))[0]
        'tf.contrib.rnn.LSTMBlockCell'
    """
    if decl.of_the_planner:
        return []
    home = decl.module.removeprefix("headrace.")
    found: dict[str, int] = {}
    beside: set[str] = set()
    words = _words(decl.type)
    places = {each.place for each in _makers(decl) if not each.is_rule}
    seen: set[Place] = set()
    last = _STEPS
    for step in range(_STEPS + 1):
        places = _completed(places) - seen
        seen |= places
        for place in places:
            name = _public_name(place)
            if name is not None:
                found.setdefault(name, step)
                if place[0] == home and step == 0:
                    beside.add(name)
        if any(not _is_contrib(name) for name in found):
            last = min(last, step + _FURTHER)
        if step >= last:
            break
        if step >= last - _FURTHER + 1 and last < _STEPS:
            places = {place for place in places if not words.isdisjoint(_words(place[1]))}
        # Of what is used everywhere it says nothing that somebody uses it, unless beside it.
        used = {place: _users(place) if _is_special(place, bool(found)) else _users_beside(place) for place in places}
        places = {each.place for users in used.values() for each in users}
    names = [name for name in found if not _is_contrib(name)] or list(found)
    # `tf.where_v2` beside `tf.where` tells nothing more.
    names = [name for name in names if _unversioned(name) == name or _unversioned(name) not in found]
    wanted = function_name(decl.type)
    nearest = min((found[name] for name in names), default=0)

    def rank(name: str) -> tuple[bool, bool, bool, int, int, str]:
        leaf = name.rpartition(".")[2]
        alike = leaf == wanted or not words.isdisjoint(_words(leaf))
        apart = not alike and found[name] > nearest
        return leaf != wanted, name not in beside, apart, found[name], name.count("."), name

    return sorted(names, key=rank)[:_MAX_NAMES]


def _unversioned(name: str) -> str:
    return re.sub(r"_?[vV]\d$", "", name)


def _words(name: str) -> set[str]:
    """The words of a name, so far as they tell: `{"assign", "variable"}`."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)}
    return {"variable" if word == "var" else word for word in words} - {"op", "get", "v"}


def _is_special(place: Place, found: bool) -> bool:
    return len(_candidates(place)) <= (_FEW if found else _MANY)


def gradient_of(decl: OpDecl) -> list[str]:
    """The types of the ops whose gradient rules make operations of an op, in alphabetical order.

    Args:
        decl: its declaration.
    """
    spans: list[tuple[str, range]] = []
    for each in _makers(decl):
        if each.place[0].startswith(("ops.", "kernels.")):
            # Whatever else its file declares is then declared too.
            find(TYPES.get(each.place[0], decl.type).split()[0])
            path = str(file_of(each.place[0]))
            spans.append((path, each.lines))
            # A rule may have it made by a function beside it.
            spans += [(path, user.lines) for user in _users(each.place) if user.place[0] == each.place[0]]
    found = set()
    for other in REGISTRY.values():
        code = getattr(inspect.unwrap(other.gradient_rule), "__code__", None) if other.gradient_rule else None
        if code and any(code.co_filename == path and code.co_firstlineno in lines for path, lines in spans):
            found.add(other.type)
    return sorted(found - {decl.type})


def _is_contrib(name: str) -> bool:
    return name.startswith("tf.contrib.")


# ---- the text of the package


@functools.cache
def _texts() -> dict[str, str]:
    """The text of each module that programs may reach ops through, by its name below the package."""
    texts = {}
    for file in sorted(_ROOT.rglob("*.py")):
        parts = file.relative_to(_ROOT).with_suffix("").parts
        if parts[0] not in _PASSED_OVER:
            texts[".".join(parts).removesuffix(".__init__")] = file.read_text(encoding="utf-8")
    return texts


def file_of(module: str) -> Path:
    """The file of a module, which is named relative to the package."""
    path = _ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def _module(name: str) -> SourceModule:
    return defined_in(name, _texts().get(name, ""))


@functools.cache
def _modules_by_word() -> dict[str, list[str]]:
    """Each word of the texts, and the modules that have it."""
    found: dict[str, list[str]] = {}
    for name, text in _texts().items():
        for word in set(re.findall(r"\w+", text)):
            found.setdefault(word, []).append(name)
    return found


@functools.cache
def _modules_with(text: str) -> list[str]:
    """The modules that have this in their text: a word, or some with what is between them."""
    by_word = _modules_by_word()
    rows = [by_word.get(word, []) for word in re.findall(r"\w+", text)]
    rarest = min(rows, key=len)
    return rarest if text.isidentifier() else [name for name in rarest if text in _texts()[name]]


def _candidates(place: Place, everywhere: bool = False) -> list[str]:
    """The modules that may mention what is at a place: they have its name, and that of its module."""
    module, name = place
    modules = _modules_with(name.rpartition(".")[2])
    if everywhere:
        return modules
    with_module = set(_modules_with(module.rpartition(".")[2]))
    return [each for each in modules if each == module or each in with_module]


# ---- what makes an operation, and what uses that


def _makers(decl: OpDecl) -> list[Definition]:
    """The definitions that make operations of the op themselves."""
    home = decl.module.removeprefix("headrace.")
    kept = {(home, name) for name in _names_of(decl)}
    spelled = {decl.type, _unversioned(decl.type)}
    kind = decl.type.partition("Apply")[2]
    calls = [f"raw.{decl.type}", *(f'"{text}"' for text in spelled), *([f'return "{kind}"'] if kind else ())]
    texts = [*calls, 'getattr(raw, f"']
    found = []
    for name in dict.fromkeys([home, *(name for text in texts for name in _modules_with(text))]):
        for each in _module(name).definitions:
            made = decl.type in each.ops or not spelled.isdisjoint(each.texts) or not kept.isdisjoint(each.mentions)
            composed = any(re.fullmatch(pattern, decl.type) for pattern in each.patterns)
            if made or composed or (kind and kind in each.kinds):
                found.append(each)
    return found


def _names_of(decl: OpDecl) -> Iterator[str]:
    """The names that the declaration has in its module, alone or among others."""
    for name, value in vars(sys.modules[decl.module]).items():
        values: Iterable[object] = [value]
        if isinstance(value, (tuple, list)):
            values = value
        elif isinstance(value, dict) and not name.startswith("__"):
            values = value.values()
        if any(item is decl for item in values):
            yield name


@functools.cache
def _users(place: Place) -> list[Definition]:
    """The definitions that mention what is at a place."""
    name = place[1]
    leaf = name.rpartition(".")[2]
    wanted = {place}
    if "." in name and not leaf.startswith("_") and _classes_with(leaf) <= _CLASSES:
        wanted.add(("", leaf))
    return [
        each
        for other in _candidates(place, everywhere=len(wanted) > 1)
        for each in _module(other).definitions
        if not wanted.isdisjoint(each.mentions) and each.place != place and not each.is_rule
    ]


def _users_beside(place: Place) -> list[Definition]:
    """The definitions of the same module that mention what is at a place."""
    return [each for each in _module(place[0]).definitions if place in each.mentions and not each.is_rule]


@functools.cache
def _classes_with(method: str) -> int:
    """How many modules have a method of this name."""
    pattern = re.compile(rf"^ +def {re.escape(method)}\(", re.M)
    return sum(f"def {method}(" in text and pattern.search(text) is not None for text in _texts().values())


def _completed(places: set[Place]) -> set[Place]:
    """Those places, and what is the same to a program: a class for its inner methods, and other modules that have a name."""
    found: set[Place] = set()
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place in found:
            continue
        found.add(place)
        module, name = place
        owner, _, method = name.rpartition(".")
        if owner:
            if method.startswith("_") or method in _APPLYING:
                waiting.append((module, owner))
            continue
        source = _module(module)
        if name in source.registered:
            waiting += _ancestors(place)
        waiting += _aliases(place)
        waiting += [(module, other) for other, renamed in source.renamed.items() if renamed == name]
    return found


@functools.cache
def _aliases(place: Place) -> list[Place]:
    """The same in modules that hand it on."""
    name = place[1]
    handing = {*_modules_with("__all__"), *_modules_with(f"{name} as {name}")}
    return [
        (other, name) for other in _candidates(place) if other in handing and _module(other).imported.get(name) == place
    ]


# ---- public names


@functools.cache
def _public() -> dict[Place, str]:
    """Of each home the shortest public name."""
    names: dict[Place, str] = {}
    for public, home in public_homes("headrace.api"):
        name = f"tf.{public}"
        if home not in names or _rank(name, home) < _rank(names[home], home):
            names[home] = name
    return names


def _rank(name: str, home: Place) -> tuple[bool, bool, bool, int, int, str]:
    older = name.rpartition(".")[2] != home[1]
    return _is_contrib(name), ".compat." in name, older, name.count("."), len(name), name


def _public_name(place: Place) -> str | None:
    """The public name of a place: of a method, that of its class, or of the first class above it that has it too."""
    module, name = place
    owner, _, method = name.rpartition(".")
    if not owner:
        return _public().get(place)
    if method.startswith("_") or method in _APPLYING:
        return None
    chain = list(_ancestors((module, owner)))
    for i, ancestor in enumerate(chain):
        public = next((_public()[each] for each in (ancestor, *_aliases(ancestor)) if each in _public()), None)
        if public is not None and any(method in _module(m).methods.get(c, ()) for m, c in chain[i:]):
            return f"{public}.{method}"
    return None


def _ancestors(place: Place) -> Iterator[Place]:
    """A class, and those it derives from."""
    waiting, seen = [place], set()
    while waiting:
        each = waiting.pop(0)
        if each in seen or each[0] not in _texts():
            continue
        seen.add(each)
        yield each
        source = _module(each[0])
        waiting += source.bases.get(each[1], ())
        if each[1] in source.imported:
            waiting.append(source.imported[each[1]])

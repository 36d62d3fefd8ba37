"""Every op type as a function: by the name of 1.x's generated modules, and as `tf.raw_ops` has it.

`gen_math_ops.mat_mul(a, b)` is `raw.MatMul`; `tf.raw_ops.MatMul(a=a, b=b)` takes keywords only. Both take the
arguments that TensorFlow's functions have, in their order: inputs, attributes without a default, then those with one.
"""

from __future__ import annotations

import functools
import inspect
import typing

from headrace.core.registry import OpDecl, find, raw
from headrace.core.signature import function_name

_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")

# Arguments that the functions call otherwise than the op does.
_SPELLED: dict[str, dict[str, str]] = {
    **{op_type: {"reduction_indices": "axis"} for op_type in _REDUCTIONS},
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


def _parameters(decl: OpDecl) -> dict[str, tuple[str, bool, typing.Any]]:
    """The arguments of an op's function, in order: its spelling to (that of the op, whether it may be missing, value)."""
    signature = decl.signature
    spelled = _SPELLED.get(decl.type, {})
    decided = {
        name for arg in signature.inputs for name in (arg.type_attr, arg.number_attr, arg.type_list_attr) if name
    }
    # An attribute that an input decides is left out even where its default could be overridden.
    free = [attr for name, attr in signature.attrs.items() if name not in decided]
    free.sort(key=lambda attr: attr.has_default)
    rows = {spelled.get(arg.name, arg.name): (arg.name, False, None) for arg in signature.inputs}
    rows.update({spelled.get(attr.name, attr.name): (attr.name, attr.has_default, attr.default) for attr in free})
    return rows


class OpFunction:
    """The function of an op type.

    Args:
        decl: the op's declaration.
        keywords_only: whether arguments are given by name only, as those of `tf.raw_ops` are.
    """

    def __init__(self, decl: OpDecl, keywords_only: bool = False) -> None:
        self._decl = decl
        self._parameters = _parameters(decl)
        self._keywords_only = keywords_only
        self.__name__ = self.__qualname__ = decl.type if keywords_only else function_name(decl.type)
        self.__doc__ = f"Applies the op {decl.type}."

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter.KEYWORD_ONLY if self._keywords_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [
            inspect.Parameter(name, kind, default=value if optional else inspect.Parameter.empty)
            for name, (_, optional, value) in self._parameters.items()
        ]
        return inspect.Signature([*parameters, inspect.Parameter("name", kind, default=None)])

    def __call__(self, *args: typing.Any, **keywords: typing.Any) -> typing.Any:
        """Applies the op to the arguments that TensorFlow's function has, `name` the last of them.

        Raises:
            TypeError: for missing, surplus or unknown arguments.
        """
        if args and self._keywords_only:
            raise TypeError(
                f"{self.__name__} only takes keyword args. Please pass these args as kwargs: {list(self._parameters)}."
            )
        names = [*self._parameters, "name"]
        if len(args) > len(names):
            raise TypeError(f"{self.__name__}() takes {len(names)} arguments ({', '.join(names)}), got {len(args)}.")
        for name, value in zip(names, args, strict=False):
            if name in keywords:
                raise TypeError(f"{self.__name__}() got two values for its argument {name!r}.")
            keywords[name] = value
        label = keywords.pop("name", None)
        known = self._parameters
        given = {known[name][0] if name in known else name: value for name, value in keywords.items()}
        return self._decl(name=label, **given)

    def __repr__(self) -> str:
        return f"<function {self.__name__} of the op {self._decl.type}>"


class _RawOps:
    """`tf.raw_ops`: every op type as a function of keywords."""

    def __getattr__(self, op_type: str) -> OpFunction:
        decl = None if op_type.startswith("_") else find(op_type)
        if decl is None:
            raise AttributeError(f"module 'tensorflow.raw_ops' has no attribute {op_type!r}: Headrace has no such op.")
        function = OpFunction(decl, keywords_only=True)
        setattr(self, op_type, function)
        return function

    def __dir__(self) -> list[str]:
        return dir(raw)


raw_ops = _RawOps()


@functools.cache
def _types() -> dict[str, str]:
    return {function_name(op_type): op_type for op_type in dir(raw)}


def __getattr__(name: str) -> typing.Any:
    # Before 1.8, and for what Python has a name for, the functions have a leading underscore.
    public = name.removeprefix("_")
    if not name.startswith("__"):
        # 1.x's modules have each function under the op's type too.
        op_type = public if public in dir(raw) else _types().get(public)
        if op_type is not None:
            return OpFunction(getattr(raw, op_type))
    raise AttributeError(f"module 'tensorflow.python.ops' has no generated op function {name!r}")


def __dir__() -> list[str]:
    return sorted(_types())

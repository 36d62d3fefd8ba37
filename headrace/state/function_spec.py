"""What a `tf.function` is called with: arguments as its Python function takes them, and as specs and keys of its traces."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, nest_paths
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec, TypeSpec, spec_from_value
from headrace.util.inspection import getfullargspec

if TYPE_CHECKING:
    from headrace.core.type_specs import BatchableTypeSpec
    from headrace.core.typing import TensorLike


class FunctionSpec:
    """The Python signature of a function, and the specs that its arguments have to fit.

    Args:
        python_function: the function.
        input_signature: a spec for each argument; None where any are taken.

    Raises:
        ValueError: if the function has arguments that are only given by name, and a signature.
    """

    def __init__(
        self, python_function: Callable[..., Any], input_signature: Sequence[BatchableTypeSpec] | None = None
    ) -> None:
        self._python_function = python_function
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._parameters = inspect.signature(python_function) if callable(python_function) else None
        if input_signature is not None and self._parameters is not None:
            # What a `functools.partial` gives by name, calls need not give.
            given = python_function.keywords if isinstance(python_function, functools.partial) else ()
            only_by_name = [
                p.name for p in self._parameters.parameters.values() if p.kind is p.KEYWORD_ONLY and p.name not in given
            ]
            if only_by_name:
                raise ValueError(
                    f"A function with an input_signature takes all arguments by position, and {only_by_name} of "
                    f"{python_function} can only be given by name."
                )

    @classmethod
    def from_function_and_signature(
        cls, python_function: Callable[..., Any], input_signature: Sequence[BatchableTypeSpec] | None
    ) -> FunctionSpec:
        """That of a function.

        Args:
            python_function: the function.
            input_signature: a spec for each argument; None where any are taken.
        """
        return cls(python_function, input_signature)

    @property
    def input_signature(self) -> tuple[BatchableTypeSpec, ...] | None:
        """The specs of the arguments, None where any are taken."""
        return self._input_signature

    @property
    def flat_input_signature(self) -> tuple[BatchableTypeSpec, ...] | None:
        """The specs of the arguments, flat."""
        return None if self._input_signature is None else tuple(nest.flatten(list(self._input_signature)))

    @functools.cached_property
    def fullargspec(self) -> inspect.FullArgSpec:
        """What `inspect.getfullargspec` says of the function."""
        return getfullargspec(self._python_function)

    @property
    def is_method(self) -> bool:
        """Whether the function is a method of an object."""
        return inspect.ismethod(self._python_function)

    @property
    def vararg_name(self) -> str | None:
        """The name of the parameter that takes further positional arguments."""
        return self.fullargspec.varargs

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters that can be given by position."""
        return self.positional_names()

    def canonicalize_function_inputs(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """The arguments of a call: all that can be given by position, and the others by name.

        Raises:
            ValueError: if they do not fit the specs; TypeError: if they do not fit the function.
        """
        if self._input_signature is not None:
            return self.signed(args, kwargs), {}
        return self.canonical(args, kwargs)

    def canonical(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
        """Arguments with the defaults of those that can be given by position.

        Raises:
            TypeError: if they do not fit the function; AssertionError, as in 1.15, if they are too few for one that has
                defaults, and none is given by name.
        """
        if self._parameters is None:
            return args, kwargs
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            if not kwargs and len(args) < self._first_default():
                raise AssertionError(f"Not enough arguments: {error}") from None
            raise
        named = set(bound.kwargs)
        bound.apply_defaults()
        # Parameters that are only given by name keep their defaults without being told.
        return bound.args, {name: value for name, value in bound.kwargs.items() if name in named}

    def _first_default(self) -> int:
        """The place of the first parameter with a default, 0 where there is none."""
        parameters = self._parameters.parameters if self._parameters else {}
        names = self.positional_names()
        return next((i for i, name in enumerate(names) if parameters[name].default is not inspect.Parameter.empty), 0)

    def signed(self, args: Sequence[Any], kwargs: Any) -> tuple[Any, ...]:
        """Arguments as tensors that fit the specs.

        Raises:
            ValueError: if they do not; TypeError: if there are more of them, or sequences of another kind.
        """
        unknown = next((name for name in kwargs if name not in self.positional_names()), None)
        if unknown is not None:
            raise TypeError(f"Function got an unexpected keyword argument {unknown}: its input_signature covers none.")
        count = len(args) + len(kwargs)
        if count > len(self._input_signature or ()):
            raise TypeError(
                "When input_signature is provided, only pass arguments covered by it: it has "
                f"{len(self._input_signature or ())}, got {len(args)} by place and {sorted(kwargs)} by name."
            )
        try:
            args, kwargs = self.canonical(args, kwargs)
        except TypeError as error:
            if count >= len(self._input_signature or ()):
                raise
            raise ValueError(
                f"Structure of Python function inputs does not match input_signature: {error}; inputs {args}, {kwargs}, "
                f"input_signature {self._input_signature}."
            ) from None
        given = list(args) + list(kwargs.values())
        signature = self._input_signature
        assert signature is not None
        # Parameters beyond it that are not given keep their defaults.
        del given[max(count, len(signature)) :]
        try:
            values = nest_paths.flatten_up_to(list(signature), given)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"Structure of Python function inputs does not match input_signature: inputs {given}, input_signature "
                f"{signature}."
            ) from None
        made: list[Any] = []
        for value, spec in zip(values, nest.flatten(list(signature)), strict=True):
            if isinstance(value, TypeSpec):
                if not spec.is_compatible_with(value):
                    raise ValueError(
                        f"Python inputs incompatible with input_signature: inputs ({value}), input_signature ({signature})"
                    )
                made.append(spec)
                continue
            if not isinstance(spec, TensorSpec):
                if not isinstance(value, CompositeTensor | IndexedSlices | SparseTensor):
                    raise TypeError(f"input_signature asks for {spec}, and the input is of {type(value)}.")
                if not spec.is_compatible_with(value):
                    raise ValueError(
                        f"Structure of Python function inputs does not match input_signature: inputs {given}, "
                        f"input_signature {signature}."
                    )
                made.append(value)
                continue
            try:
                tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else spec.dtype)
            except (TypeError, ValueError) as error:
                problem = "Python inputs incompatible with input_signature"
                if not _is_convertible(value):
                    problem = "When input_signature is provided, all inputs to the Python function must be convertible to tensors"
                raise ValueError(f"{problem}: inputs ({value!r}), input_signature ({signature}): {error}") from error
            if tensor.dtype.base_dtype != spec.dtype:
                raise ValueError(
                    f"Python inputs incompatible with input_signature: inputs ({value}), input_signature ({signature})"
                )
            if not spec.shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"Python inputs incompatible with input_signature: inputs ({value}), input_signature ({signature})"
                )
            made.append(tensor)
        return tuple(nest.pack_sequence_as(list(signature), made))

    def argument_names(self, arguments: Sequence[Sequence[Any] | Mapping[Any, Any]]) -> list[str]:
        """For each flat argument the name of the parameter that it is given for, or is a part of."""
        args, kwargs = arguments
        named = self.positional_names()
        found: list[str] = []
        for i, value in enumerate(args):
            parts = len(flat(value))
            found += [named[i]] * parts if i < len(named) else [f"args_{len(found) + k}" for k in range(parts)]
        for name in sorted(kwargs):
            found += [name] * len(flat(kwargs[name]))
        return found

    def signature_of(self, arguments: Sequence[Any], specs: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a trace as they are told: specs for what is passed in calls, other values as they are.

        Args:
            arguments: those that were traced for, positional ones and those by name.
            specs: what their flat parts were traced as.
        """
        args, kwargs = arguments
        left = iter(specs)

        def described(value: Any, name: str) -> Any:
            leaves = []
            for path, leaf in nest_paths.flatten_with_joined_string_paths(value):
                if isinstance(leaf, CompositeTensor | IndexedSlices | SparseTensor) or _is_composite_spec(leaf):
                    for _ in flat(leaf):
                        next(left)
                    leaves.append(described_value(leaf))
                    continue
                spec = next(left)
                if isinstance(spec, StaticArgument):
                    leaves.append(spec.value)
                else:
                    leaves.append(TensorSpec(spec.shape, spec.dtype, spec.name or "/".join(filter(None, (name, path)))))
            return nest.pack_sequence_as(value, leaves)

        named = self.positional_names()
        names = [named[i] if i < len(named) else f"args_{i}" for i in range(len(args))]
        positional = tuple(described(value, name) for value, name in zip(args, names, strict=True))
        return positional, {name: described(kwargs[name], name) for name in sorted(kwargs)}

    def positional_names(self) -> list[str]:
        """The names of the parameters that can be given by position."""
        parameters = list(self._parameters.parameters.values()) if self._parameters else []
        return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _is_convertible(value: TensorLike | None) -> bool:
    try:
        convert_to_tensor(value)
    except (TypeError, ValueError):
        return False
    return True


class StaticArgument:
    """An argument that is a part of the trace."""

    dtype: DType | None = None

    def __init__(self, value: bool | float | None) -> None:
        self.value = value


def outline(value: Any) -> Any:
    """What an argument adds to the structure of a call: 0 for a plain one, the kind and the number of parts of a composite."""
    if not isinstance(value, CompositeTensor):
        return 0
    return type(value).__name__, len(nest.flatten(value, expand_composites=True))


def structure_text(structure: tuple[Any, dict[str, Any]]) -> str:
    """What tells the structure of a call from others; dictionaries of the same keys are alike in any order."""
    text = repr(structure)
    # The second of the two is one itself.
    return text if text.count("{") == 1 and not structure[1] else repr(_ordered(structure))


def _ordered(structure: Any) -> Any:
    if isinstance(structure, Mapping):
        return {key: _ordered(structure[key]) for key in sorted(structure)}
    if isinstance(structure, (list, tuple)) and not hasattr(structure, "_fields"):
        return type(structure)(_ordered(item) for item in structure)
    return structure


def flat(structure: object) -> list[Any]:
    """The leaves of a structure: the tensors of composite values, and the specs of the tensors of their specs."""
    leaves: list[Any] = []
    for leaf in nest.flatten(structure, expand_composites=True):
        leaves += leaf._flat_component_specs if _is_composite_spec(leaf) else [leaf]
    return leaves


def packed(
    structure: Sequence[Sequence[Any] | Mapping[Any, Any]], flat: list[Any]
) -> tuple[tuple[Any, ...], dict[Any, Any]]:
    """A structure with `flat` in the places of what `_flat` gives of it."""
    left = iter(flat)
    leaves = [
        leaf._pack_components([next(left) for _ in leaf._flat_component_specs])
        if _is_composite_spec(leaf)
        else next(left)
        for leaf in nest.flatten(structure, expand_composites=True)
    ]
    return nest.pack_sequence_as(structure, leaves, expand_composites=True)


def _is_composite_spec(value: TensorLike | BatchableTypeSpec | None) -> bool:
    return isinstance(value, TypeSpec) and not isinstance(value, TensorSpec)


def described_value(value: Tensor) -> Any:
    """The description of a tensor or a value of several; anything else as it is."""
    if isinstance(value, Tensor | CompositeTensor | IndexedSlices | SparseTensor):
        return spec_from_value(value)
    return value


def covers(known: Any, dims: Any) -> bool:
    """Whether a static shape has nothing against another one."""
    if known is None:
        return True
    if dims is None or len(dims) != len(known):
        return False
    return all(k is None or k == d for k, d in zip(known, dims, strict=True))


def key_of(value: bool | float | None) -> Any:
    """What tells an argument that is a part of a trace from others.

    Raises:
        AttributeError: if it cannot be hashed, as a set cannot, and has neither a shape nor a type of elements.
        TypeError: if it cannot be hashed, and there are no weak references to it either, as to a bytearray.
    """
    try:
        hash(value)
    except TypeError:
        if not type(value).__weakrefoffset__:
            raise TypeError(
                f"Arguments of a tf.function must be hashable, or lists and dictionaries of such: got {value!r}."
            ) from None
        if not (hasattr(value, "shape") and hasattr(value, "dtype")):
            raise AttributeError(
                f"An argument of a tf.function that cannot be hashed needs a shape and a dtype, and {value!r} has no "
                "attribute 'shape'. Lists and dictionaries are taken apart."
            ) from None
        return id(value)
    # `handle` is refused where a mirrored variable is meant as a whole.
    if hasattr(value, "_handle") or hasattr(value, "handle"):
        return "variable", id(value)
    # Equal values share a trace, 1, 1.0 and True too, as in 1.15: the type of the first is that of the trace.
    return value


def without_dims(part: Sequence[Any]) -> Any:
    """A part of a key with the rank alone in the place of a shape."""
    if not (isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], DType)):
        return part
    dtype, dims = part
    return dtype, None if dims is None else len(dims)


def check_signature(signature: Sequence[BatchableTypeSpec] | None) -> None:
    """Raises TypeError if an `input_signature` is no sequence of specs."""
    if signature is None:
        return
    if not isinstance(signature, (tuple, list)):
        raise TypeError(f"input_signature must be either a tuple or a list, received {type(signature)}: {signature}.")
    if not all(isinstance(spec, TypeSpec) for spec in nest.flatten(list(signature))):
        raise TypeError(
            f"Invalid input_signature {signature}; input_signature must be a possibly nested sequence of TensorSpec objects."
        )

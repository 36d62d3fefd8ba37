"""What objects that own variables and one another have in common: the members of `tf.Module`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core import nest_paths
from headrace.core.defaults import name_scope
from headrace.core.tensor_util import is_dense_tensor_like

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


def is_variable(value: DTypeLike | TensorLike | ModuleMembers | None) -> bool:
    """Whether `value` is a variable."""
    return is_dense_tensor_like(value) and hasattr(value, "initializer") and hasattr(value, "trainable")


class ModuleMembers:
    """The variables and modules among an object's attributes, however they are nested in lists, tuples and dicts."""

    _scope_name: str
    # Attributes that hold no members; classes add names of their own.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    @property
    def name_scope(self) -> Any:
        """A context in which operations get names below the module's."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> Any:
        """The variables of this module and of those it owns, by attribute's name."""
        return tuple(self._flatten(predicate=is_variable))

    @property
    def trainable_variables(self) -> Any:
        """Those of them that are trained."""
        return tuple(self._flatten(predicate=lambda item: is_variable(item) and bool(item.trainable)))

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The modules it owns, and those they own."""
        return tuple(self._flatten(predicate=lambda item: isinstance(item, ModuleMembers)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
    ) -> Iterator[Any]:
        """The values that `predicate` holds for, each once unless with its path.

        Args:
            recursive: whether to look into modules that are found.
            predicate: of a value; by default true of any.
            attribute_traversal_key: how the names of attributes are sorted.
            with_path: whether to give (path, value) pairs.
        """
        seen = {id(self)}

        def walk(module: ModuleMembers, path: tuple[Any, ...]) -> Iterator[Any]:
            inner: list[tuple[tuple[Any, ...], ModuleMembers]] = []
            attributes = vars(module)
            for key in sorted(attributes, key=attribute_traversal_key):
                if key in module._TF_MODULE_IGNORED_PROPERTIES:
                    continue
                for below, leaf in nest_paths.flatten_with_tuple_paths(attributes[key]):
                    if not with_path:
                        if id(leaf) in seen:
                            continue
                        seen.add(id(leaf))
                    here = (*path, key, *below)
                    if predicate is None or predicate(leaf):
                        yield (here, leaf) if with_path else leaf
                    if recursive and isinstance(leaf, ModuleMembers):
                        inner.append((here, leaf))
            for here, leaf in inner:
                yield from walk(leaf, here)

        return walk(self, ())

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Makes a method enter `name_scope` whenever it is called.

        Args:
            method: a method of the module.

        Returns:
            the method in its scope.

        Example:
            >>> class Scale(tf.Module):
            ...     @tf.Module.with_name_scope
            ...     def __call__(self, x):
            ...         return x * 2.0
        """

        @functools.wraps(method)
        def scoped(self: Any, *args: Any, **kwargs: Any) -> Tensor:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped

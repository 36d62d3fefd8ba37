"""Templates: functions that make their variables when first called and share them ever after."""

from __future__ import annotations

import contextlib
import functools
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection, get_collection_ref
from headrace.core.eager import executing_eagerly
from headrace.state.capturing import capture_dependencies
from headrace.state.dependencies import NamedDependencies
from headrace.state.modes import AUTO_REUSE
from headrace.state.polymorphic_function import defun
from headrace.state.variable_scope import VariableScope, _unique_scope_name, pure_variable_scope, variable_scope
from headrace.state.variable_store import EagerVariableStore, get_default_variable_store

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.state.variable_class import Variable


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """A function that calls `func_` in a variable scope of its own, which shares its variables between calls.

    Args:
        name_: a name for the scope, made unique.
        func_: the function; variables it gets through `tf.get_variable` are shared.
        create_scope_now_: whether the scope is made now rather than at the first call.
        unique_name_: a name for the scope that is taken as it stands.
        custom_getter_: the scope's custom getter.
        **kwargs: keyword arguments for `func_`.

    Raises:
        ValueError: if `name_` is None.

    Example:
        >>> scale = tf.make_template("scale", lambda x: x * tf.get_variable("by", []))
        >>> y, z = scale(1.0), scale(2.0)  # one variable, "scale/by"
    """
    return make_template_internal(name_, func_, create_scope_now_, unique_name_, custom_getter_, False, **kwargs)


def make_template_internal(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    create_graph_function_: bool = False,
    **kwargs: Any,
) -> Template:
    """As `make_template`, and `create_graph_function_`: whether `func_` is traced, as by `tfe.defun`.

    Raises:
        ValueError: if `unique_name_` is given while executing eagerly.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    if create_graph_function_:
        func_ = defun(func_)
    if executing_eagerly():
        if unique_name_ is not None:
            raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
        return EagerTemplate(name_, func_, create_scope_now_, None, custom_getter_)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template(NamedDependencies):
    """What `make_template` returns; arguments as there."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._stacktrace = traceback.format_stack()[:-2]
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._variable_scope: VariableScope | None = None
        if create_scope_now:
            scope_name = self._unique_name or _unique_scope_name(self._name)
            with pure_variable_scope(scope_name, custom_getter=self._custom_getter) as scope:
                self._variable_scope = scope
        # Called to its end, and called at all: another thread may call it meanwhile.
        self._variables_created = False
        self._first_call = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function in the template's scope."""
        if self._variable_scope is not None:
            with variable_scope(self._variable_scope, reuse=not self._first_call):
                return self._call_func(args, kwargs)
        with variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as scope:
            self._variable_scope = scope
            return self._call_func(args, kwargs)

    def _call_func(self, args: Any, kwargs: Any) -> Any:
        try:
            if self._variables_created:
                before = len(get_collection_ref(GraphKeys.TRAINABLE_VARIABLES))
                result = self._func(*args, **kwargs)
                made = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)[before:]
                if made:
                    raise ValueError(
                        "Trainable variable created when calling a template after the first time, perhaps you used "
                        f"tf.Variable when you meant tf.get_variable: {made}"
                    )
                return result
            if not self._first_call:
                return self._func(*args, **kwargs)
            self._first_call = False
            try:
                with capture_dependencies(self):
                    result = self._func(*args, **kwargs)
            except BaseException:
                self._first_call = True
                raise
            self._variables_created = True
            return result
        except Exception as error:
            first = error.args[0] if error.args else ""
            where = "".join(_own_part(self._stacktrace, traceback.format_stack()))
            error.args = (f"{first}\n\noriginally defined at:\n{where}", *error.args[1:])
            raise

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function it calls."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """Its variable scope; None before there is one."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of its variable scope with a slash at the end; None before there is one."""
        if self._variable_scope is None:
            return None
        name = self._variable_scope.name
        return name if not name or name.endswith("/") else name + "/"

    @property
    def var_scope(self) -> VariableScope | None:
        """The older name of `variable_scope`."""
        return self._variable_scope

    def _of(self, key: str) -> list[Any]:
        return get_collection(key, self.variable_scope_name) if self._variables_created else []

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables it made."""
        return self._of(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables it made."""
        return self.trainable_variables

    @property
    def global_variables(self) -> list[Any]:
        """The global variables it made."""
        return self._of(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables it made."""
        return self._of(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self) -> list[Any]:
        """The global and local variables it made."""
        return self.global_variables + self.local_variables

    @property
    def weights(self) -> list[Any]:
        """The global and local variables it made."""
        return self.variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables it made that are not trained."""
        trained = self.trainable_variables
        return [v for v in self.variables if all(v is not t for t in trained)]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables it made that are not trained."""
        return self.non_trainable_variables


class EagerTemplate(Template):
    """What `make_template` returns while executing eagerly: it keeps its variables itself; arguments as of `Template`."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if not executing_eagerly():
            raise RuntimeError(
                f"{type(self)} objects can only be used when eager execution is enabled, use tf.Template for graph "
                "construction"
            )
        super().__init__(name, func, create_scope_now, unique_name, custom_getter)
        # A template made in another keeps its variables where that one does, which has them too.
        around = get_default_variable_store()
        self._store = EagerVariableStore(around if around._store_eager_variables else None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function in the template's scope."""
        if self._variable_scope is not None:
            scope: variable_scope = variable_scope(self._variable_scope, reuse=AUTO_REUSE)
        else:
            scope = variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter)
        with scope as entered:
            self._variable_scope = entered
            with self._store.as_default():
                return self._call_func(args, kwargs)

    def _own(self, variables: list[Any]) -> list[Any]:
        """Those in its scope."""
        prefix = self.variable_scope_name or ""
        return [variable for variable in variables if variable.name.startswith(prefix)]

    def _call_func(self, args: Any, kwargs: Any) -> float | Tensor | Variable:
        try:
            before = self._own(self._store.trainable_variables())
            # While it is being called the first time, what is restored is restored as it is made.
            with contextlib.nullcontext() if self._variables_created else capture_dependencies(self):
                result = self._func(*args, **kwargs)
            made = [v for v in self._own(self._store.trainable_variables()) if all(v is not known for known in before)]
            if self._variables_created and made:
                raise ValueError(
                    "Trainable variable created when calling a template after the first time, perhaps you used "
                    f"tf.Variable when you meant tf.get_variable: {made}"
                )
            self._variables_created = True
            return result
        except Exception as error:
            first = error.args[0] if error.args else ""
            where = "".join(_own_part(self._stacktrace, traceback.format_stack()))
            error.args = (f"{first}\n\noriginally defined at:\n{where}", *error.args[1:])
            raise

    @property
    def variables(self) -> list[Any]:
        """The variables it made."""
        return self._own(self._store.variables()) if self._variables_created else []

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables it made."""
        return self._own(self._store.trainable_variables()) if self._variables_created else []

    @property
    def global_variables(self) -> list[Any]:
        """The variables it made."""
        return self.variables

    @property
    def local_variables(self) -> list[Any]:
        """None: nothing is local while executing eagerly."""
        return []


def _own_part(stack: list[str], base: list[str]) -> list[str]:
    """The entries of `stack` from where it leaves `base`."""
    for i, (mine, other) in enumerate(zip(stack, base, strict=False)):
        if mine != other:
            return stack[i:]
    return stack[-1:]

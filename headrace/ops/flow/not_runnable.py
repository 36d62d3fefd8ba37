"""The body of a function from a file that uses ops which are not declared."""

from headrace.core.errors import NotFoundError
from headrace.core.registry import op


class _NotRunnableError(NotFoundError, NotImplementedError):
    """A function uses op types that are not declared."""


not_runnable = op(
    "_NotRunnable", "input: *Tin, *, reason: string, Tin: list(type), Tout: list(type) -> output: *Tout", stateful=True
).checks()


@not_runnable.shape
def not_runnable_shape(op):
    return [None] * len(op.outputs)


@not_runnable.kernel
def not_runnable_kernel(node):
    # When the plan is made, before anything of the step runs.
    raise _NotRunnableError(None, None, node.attrs["reason"])


@not_runnable.gradient
def not_runnable_gradient(op, *gradients):
    raise _NotRunnableError(None, None, op.attrs["reason"])


not_runnable.no_case("It stands for what cannot run: tests/messages/test_functions_that_cannot_run.py.")

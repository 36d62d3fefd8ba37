"""Second derivatives: `tf.hessians`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import as_list, gradients
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing.filling import zeros

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def hessians(
    ys: TensorLike,
    xs: TensorLike,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Builds the second derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: a tensor or list of tensors.
        xs: a tensor or variable, or a list of them.
        name: names nothing, as in 1.x.
        colocate_gradients_with_ops, gate_gradients, aggregation_method: as in `tf.gradients`.

    Returns:
        for each x of shape S a tensor of shape S + S.
    """
    options: dict[str, Any] = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    xs = as_list(xs)
    results = []
    for first, x in zip(gradients(ys, xs, **options), xs, strict=True):
        if first is None:
            raise ValueError(f"tf.hessians: ys do not depend on {getattr(x, 'name', x)}.")
        count = x.shape.num_elements()
        flat = raw.Reshape(first, [-1])
        if count is None:
            results.append(_hessian_in_loop(flat, convert_to_tensor(x), options))
            continue
        rows = [gradients(flat[j], x, name="gradients", **options)[0] for j in range(count)]
        if any(row is None for row in rows):
            raise _constant_slope(x)
        stacked = raw.Pack(rows, axis=0) if rows else zeros([0, *x.shape.as_list()], x.dtype)
        results.append(raw.Reshape(stacked, [*x.shape.as_list(), *x.shape.as_list()]))
    return results


def _constant_slope(x: Any) -> ValueError:
    return ValueError(
        f"tf.hessians: the gradient with respect to {getattr(x, 'name', x)} does not depend on it, so there are no second "
        "derivatives (None values not supported)."
    )


def _hessian_in_loop(gradient: Tensor, x: Tensor, options: dict[str, Any]) -> Tensor:
    """The Hessian of as many rows as `x` turns out to have elements."""
    count = raw.Size(x)

    def one_row(row: Tensor, rows: TensorArray) -> list[Any]:
        derivative = gradients(raw.GatherV2(gradient, row, 0), x, name="gradients", **options)[0]
        if derivative is None:
            raise _constant_slope(x)
        return [row + 1, rows.write(row, derivative)]

    _, rows = while_loop(lambda row, _: raw.Less(row, count), one_row, [0, TensorArray(x.dtype, count)])
    shape = raw.Shape(x)
    return raw.Reshape(rows.stack(), raw.ConcatV2([shape, shape], 0))

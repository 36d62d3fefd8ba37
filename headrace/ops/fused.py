"""The ops only the planner makes: they stand in plans, never in graphs."""

from __future__ import annotations

import torch

from headrace.core.registry import op
from headrace.ops.array.join import offsets_of
from headrace.ops.array.slice import window_of
from headrace.ops.math.elementwise import checked
from headrace.ops.math.large_products import large_product
from headrace.ops.size_functions import size_function

feed = op("_Feed", "*, dtype: type -> output: dtype", stateful=True)


@feed.kernel
def feed_kernel(node):
    return None


read_ref = op("_ReadRef", "ref: ref T, *, T: type -> value: T").reads("ref").aliases()


@read_ref.kernel
def read_ref_kernel(node):
    return _read


def _read(buffer):
    return buffer.read()


# ---- shapes of gradients ----

sum_to_shape = op("_SumToShape", "gradient: T, *, shape: shape -> output: T").aliases()


@sum_to_shape.kernel
def sum_to_shape_kernel(node):
    shape = torch.Size(node.attrs["shape"])
    rank = len(shape)
    if node.inputs[0].dims is not None and None not in shape:
        dims = node.inputs[0].dims
        lead = len(dims) - rank
        inner_equal = lead >= 0 and all(d is not None and d == s for d, s in zip(dims[lead:], shape, strict=True))
        if inner_equal and lead == 1:
            return lambda gradient: gradient.sum(0)
        if inner_equal and lead > 1:
            axes = tuple(range(lead))
            return lambda gradient: gradient.sum(axes)

    def to_shape(gradient):
        return gradient if gradient.shape == shape else gradient.sum_to_size(shape)

    return to_shape


sum_like = op("_SumLike", "gradient: T, like: U, *, T: type, U: type -> output: T").aliases()


@sum_like.kernel
def sum_like_kernel(node):
    def to_like(gradient, like):
        shape = like.shape
        return gradient if gradient.shape == shape else gradient.sum_to_size(shape)

    return to_like


sum_to_shape_of = op("_SumToShapeOf", "gradient: T, shape: U, *, T: type, U: index -> output: T").aliases()
sum_to_shape_of.on_host("shape")


@sum_to_shape_of.kernel
def sum_to_shape_of_kernel(node):
    def to_shape(gradient, shape):
        sizes = torch.Size(shape.tolist())
        return gradient if gradient.shape == sizes else gradient.sum_to_size(sizes)

    return to_shape


# ---- sizes known only at run time ----

expand_like = op("_ExpandLike", "x: T, like: U, *, T: type, U: type -> output: T").aliases()


@expand_like.kernel
def expand_like_kernel(node):
    return lambda x, like: x.expand(like.shape)


divide_by_count = op("_DivideByCount", "x: T, counted: U, *, divisor: int, T: type, U: type -> output: T")


@divide_by_count.kernel
def divide_by_count_kernel(node):
    divisor = node.attrs["divisor"]
    return lambda x, counted: x / (counted.numel() // divisor)


sizes_op = op(
    "_Sizes",
    "shaped: *shaped_types, items: *item_types, *, shaped_types: list(type), item_types: list(type), "
    "T: index -> sizes: T",
)
sizes_op.on_host("items", outputs=True).not_differentiable()


@sizes_op.kernel
def sizes_kernel(node):
    """Sizes of tensors, elements of vectors, and what expressions make of them, as an integer vector or number."""
    output = node.outputs[0]
    return size_function(node.notes["elements"], len(node.inputs), output.dtype.torch, output.dims == ())


times_count = op("_TimesCount", "counted: U, *, number: float, T: type = float, U: type -> output: T")


@times_count.kernel
def times_count_kernel(node):
    """The sum of a tensor of that shape, all of one number."""
    number, dtype, device = node.attrs["number"], node.outputs[0].dtype.torch, node.device
    tensor = torch.tensor
    # Of nothing the sum is 0, also where the number is infinite.
    return lambda counted: tensor(number * counted.numel() if counted.numel() else 0.0, dtype=dtype, device=device)


pieces_like = op(
    "_PiecesLike",
    "joined: T, likes: N * U, *, axis: int, shapes: list(shape), M: int >= 1, N: int >= 1, T: type, U: type -> parts: M * T",
)
pieces_like.aliases().not_differentiable()


@pieces_like.kernel
def pieces_like_kernel(node):
    """What Slice takes of a tensor, one part after the other; the shapes are those of `likes` where none is given."""
    axis, shapes = node.attrs["axis"], [None if dims is None else torch.Size(dims) for dims in node.attrs["shapes"]]
    given_dims = iter([value.dims for value in node.inputs[1:]])
    sizes = [(next(given_dims) if shape is None else shape)[axis] for shape in shapes]
    if None in sizes:
        sizes = None

    def checked(joined, likes):
        given = iter(likes)
        wanted = [next(given).shape if shape is None else shape for shape in shapes]
        begins = offsets_of(axis, *[torch.tensor(shape) for shape in wanted])
        return [joined[window_of(joined.shape, b.tolist(), list(s))] for b, s in zip(begins, wanted, strict=True)]

    if sizes is not None and shapes == [None, None]:
        total = sum(sizes)

        def two(joined, like, other):
            if joined.ndim > axis and joined.shape[axis] == total:
                parts = joined.split(sizes, axis)
                if parts[0].shape == like.shape and parts[1].shape == other.shape:
                    return parts
            return checked(joined, (like, other))

        return two

    # Tensors that were joined fit, but these ops may be applied to any.
    def pieces(joined, *likes):
        given = iter(likes)
        wanted = [next(given).shape if shape is None else shape for shape in shapes]
        lengths = [shape[axis] for shape in wanted] if sizes is None else sizes
        if joined.ndim > axis and joined.shape[axis] == sum(lengths):
            parts = joined.split(lengths, axis)
            if [part.shape for part in parts] == wanted:
                return parts
        return checked(joined, likes)

    return pieces


# ---- sums of rows ----

add_rows = op("_AddRows", "start: T, x: T, *, rows: list(int), T: type -> output: T")


@add_rows.kernel
def add_rows_kernel(node):
    rows = node.attrs["rows"]
    first, count = min(rows), len(rows)
    if sorted(rows) == list(range(first, first + count)):
        dims = node.inputs[1].dims
        if first == 0 and dims is not None and dims[0] == count:
            return lambda start, x: x.sum(0, dtype=x.dtype).add_(start)
        return lambda start, x: x[first : first + count].sum(0, dtype=x.dtype).add_(start)
    picked = torch.tensor(rows, device=node.device)
    return lambda start, x: x.index_select(0, picked).sum(0, dtype=x.dtype).add_(start)


# ---- dropout ----

dropout_factor = op("_DropoutFactor", "noise: T, rate: T, scale: T, *, T: floating -> output: T").not_differentiable()


@dropout_factor.kernel
def dropout_factor_kernel(node):
    """`scale` where the noise is not below the rate, 0 elsewhere."""
    return lambda noise, rate, scale: (noise >= rate).to(noise.dtype).mul_(scale)


@dropout_factor.reuses
def dropout_factor_in_place(node, index):
    # Scalar tensors: Python's numbers are made such in every call, at three times the cost.
    return None if index else lambda noise, rate, scale: noise.ge_(rate).mul_(scale)


# ---- matrix product and bias ----

matmul_bias = op(
    "_MatMulBias", "a: T, b: T, bias: T, *, transpose_a=False, transpose_b=False, T: {float, double} -> output: T"
)


matmul_bias.fresh()


@matmul_bias.kernel
def matmul_bias_kernel(node):
    a_turned, b_turned = node.attrs["transpose_a"], node.attrs["transpose_b"]
    product = large_product(node)
    if product is None:
        addmm = torch.addmm

        def product(a, b, bias):
            return addmm(bias, a, b)

    if a_turned and b_turned:
        return lambda a, b, bias: product(a.t(), b.t(), bias)
    if a_turned:
        return lambda a, b, bias: product(a.t(), b, bias)
    if b_turned:
        return lambda a, b, bias: product(a, b.t(), bias)
    return product


# ---- losses ----

logistic_loss = op("_LogisticLoss", "logits: T, labels: T, *, T: {float, double} -> loss: T").not_differentiable()
logistic_loss.fresh()


@logistic_loss.kernel
def logistic_loss_kernel(node):
    """max(x, 0) - x * z + log(1 + exp(-|x|))."""
    log_sigmoid, relu = torch.nn.functional.logsigmoid, torch.relu

    def loss(x, z):
        ramp = relu(x)
        if z.shape == x.shape:
            ramp.addcmul_(x, z, value=-1)
        else:
            ramp = ramp - x * z
        return ramp.sub_(log_sigmoid(x.abs()))

    return checked(node, loss)


logistic_loss_grad = op(
    "_LogisticLossGrad", "logits: T, labels: T, gradient: T, *, T: {float, double} -> output: T"
).not_differentiable()
logistic_loss_grad.fresh()


@logistic_loss_grad.kernel
def logistic_loss_grad_kernel(node):
    """(sigmoid(x) - z) * gradient, exact too where the sigmoid is next to the label.

    The sigmoid is 1 - s or s, depending on the sign of x, with s = sigmoid(-|x|); 1 - z comes first.
    """
    ge, empty_like = torch.ge, torch.empty_like

    def slope(x, z, gradient):
        # Of a zero with a sign, x + 0 has none.
        small = x.abs().neg_().sigmoid_().copysign_(x + 0.0)
        to_label = ge(x, 0, out=empty_like(x))
        if z.shape == x.shape == gradient.shape:
            return to_label.sub_(z).sub_(small).mul_(gradient)
        return ((to_label - z - small) * gradient).sum_to_size(x.shape)

    return slope


# ---- devices ----

transfer = op("_Transfer", "x: T, *, T: type -> y: T")


@transfer.kernel
def transfer_kernel(node):
    device = node.device
    if device.type == "cpu":
        return lambda x: x.to(device)
    # Kernels of one stream run in order, so the copy need not be waited for here.
    return lambda x: x.to(device, non_blocking=True)


join_op = op("_Join", "values: N * T, *, N: int >= 1, axis: int -> output: T").not_differentiable()


@join_op.kernel
def join_kernel(node):
    """Tensors one behind the other along an axis."""
    cat, axis = torch.cat, node.attrs["axis"]
    return lambda *values: cat(values, axis)


join_op.fresh()


# ---- parts and sums of matrix products ----

matmul_rows_op = op("_MatMulRows", "a: T, b: T, *, begin: int, end: int, T: {float, double} -> output: T")
matmul_rows_op.not_differentiable()


@matmul_rows_op.kernel
def matmul_rows_kernel(node):
    """The product of `a` and some rows of `b`, transposed."""
    begin, end = node.attrs["begin"], node.attrs["end"]
    mm = torch.mm
    return lambda a, b: mm(a, b[begin:end].t())


matmul_add_op = op("_MatMulAdd", "total: T, a: T, b: T, *, T: {float, double} -> output: T").not_differentiable()


matmul_add_op.fresh()


@matmul_add_op.kernel
def matmul_add_kernel(node):
    """A sum and the product of `a` transposed and `b`."""
    addmm = torch.addmm
    return lambda total, a, b: addmm(total, a.t(), b)

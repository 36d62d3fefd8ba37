"""Images bent: by a field of displacements, or by what control points do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.tile import meshgrid
from headrace.functions.flow.checks import assert_equal, assert_greater_equal, assert_less_equal
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.filling import ones_like
from headrace.ops.array.constant import constant
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


# Keeps logarithms and roots of distances finite.
_EPSILON = 1e-10

_TOO_LARGE = "The images together have more pixels than an int32 can number."


def interpolate_bilinear(
    grid: TensorLike, query_points: TensorLike, name: str = "interpolate_bilinear", indexing: str = "ij"
) -> Tensor:
    """Bilinear values of a grid between its points; places outside count as at the edge.

    Args:
        grid: float tensor of shape [batch, height, width, channels], at least 2 high and wide.
        query_points: float tensor of shape [batch, n, 2].
        name: a name for the operations.
        indexing: "ij" for points (y, x), "xy" for (x, y).

    Returns:
        float tensor of shape [batch, n, channels].

    Raises:
        ValueError: for another rank or indexing. InvalidArgumentError: when it is run, for a grid too small.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError(f"Indexing mode must be 'ij' or 'xy', got {indexing!r}")
    with name_scope(name):
        grid, points = convert_to_tensor(grid), convert_to_tensor(query_points)
        if grid.get_shape().ndims != 4:
            raise ValueError(f"Grid must be 4 dimensional. Received size: {grid.get_shape()}")
        batch, height, width, channels = (composing.shape(grid)[axis] for axis in range(4))
        rank = len(points.get_shape())
        checks = [
            assert_equal(rank, 3, message="Query points must be 3 dimensional."),
            assert_equal(composing.shape(points)[2], 2, message="Query points must be size 2 in dim 2."),
        ]
        with control_dependencies(checks):
            count = composing.shape(points)[1]
        checks = [
            assert_greater_equal(height, 2, message="Grid height must be at least 2."),
            assert_greater_equal(width, 2, message="Grid width must be at least 2."),
        ]
        with control_dependencies(checks):
            places = unstack(points, axis=2)
        floors, ceilings, alphas = [], [], []
        for axis in (0, 1) if indexing == "ij" else (1, 0):
            with name_scope(f"dim-{axis}"):
                floor, ceiling, alpha = _neighbours(places[axis], (height, width)[axis], grid.dtype)
            floors.append(floor)
            ceilings.append(ceiling)
            alphas.append(alpha)
        size = cast(batch * height * width, "float32")
        with control_dependencies([assert_less_equal(size, np.iinfo(np.int32).max / 8, message=_TOO_LARGE)]):
            rows = reshape(grid, [batch * height * width, channels])
            offsets = reshape(composing.range_(batch) * height * width, [batch, 1])

        def corner(down: Tensor, across: Tensor, name: str) -> Tensor:
            with name_scope(f"gather-{name}"):
                return reshape(composing.gather(rows, offsets + down * width + across), [batch, count, channels])

        top_left = corner(floors[0], floors[1], "top_left")
        top_right = corner(floors[0], ceilings[1], "top_right")
        bottom_left = corner(ceilings[0], floors[1], "bottom_left")
        bottom_right = corner(ceilings[0], ceilings[1], "bottom_right")
        with name_scope("interpolate"):
            above = alphas[1] * (top_right - top_left) + top_left
            below = alphas[1] * (bottom_right - bottom_left) + bottom_left
            return alphas[0] * (below - above) + above


def _neighbours(queries: Tensor, length: Tensor, dtype: DType) -> tuple[Tensor, Tensor, Tensor]:
    """The points of an axis before and after places, and how far these are from the first."""
    most = cast(length - 2, queries.dtype)
    least = constant(0.0, dtype=queries.dtype)
    floor = raw.Minimum(raw.Maximum(least, raw.Floor(queries)), most)
    before = cast(floor, "int32")
    after = before + 1
    distance = cast(queries - floor, dtype)
    nothing, all_of_it = constant(0.0, dtype=dtype), constant(1.0, dtype=dtype)
    distance = raw.Minimum(raw.Maximum(nothing, distance), all_of_it)
    return before, after, composing.expand_dims(distance, 2)


def dense_image_warp(image: TensorLike, flow: TensorLike, name: str = "dense_image_warp") -> Tensor:
    """Images whose pixel (y, x) is taken from (y, x) - flow[y, x].

    Args:
        image: float tensor of shape [batch, height, width, channels], at least 2 pixels high and wide.
        flow: float tensor of shape [batch, height, width, 2].
        name: a name for the operations.

    Returns:
        images of the same shape.
    """
    with name_scope(name):
        image, flow = convert_to_tensor(image), convert_to_tensor(flow)
        batch, height, width, channels = (composing.shape(image)[axis] for axis in range(4))
        across, down = meshgrid(composing.range_(width), composing.range_(height))
        grid = cast(composing.stack([down, across], axis=2), flow.dtype)
        points = reshape(composing.expand_dims(grid, 0) - flow, [batch, height * width, 2])
        return reshape(interpolate_bilinear(image, points), [batch, height, width, channels])


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """The squared distances of points a [b, n, d] from b [b, m, d]."""
    norms = [reduce_sum(raw.Square(points), axis=2) for points in (a, b)]
    rows, columns = composing.expand_dims(norms[0], 2), composing.expand_dims(norms[1], 1)
    return rows - 2 * matmul(a, b, adjoint_b=True) + columns


def _own_squared_distances(a: Tensor) -> Tensor:
    """The squared distances of points a [b, n, d] from each other."""
    products = matmul(a, a, adjoint_b=True)
    norms = composing.expand_dims(raw.MatrixDiagPart(products, name="diag_part"), 2)
    return norms - 2 * products + composing.transpose(norms, [0, 2, 1])


def radial_basis(squared: Tensor, order: int) -> Tensor:
    """The radial basis function of an order, of squared distances: r^order, times log r for even orders."""
    with name_scope("phi"):
        if order == 2:
            return 0.5 * squared * raw.Log(raw.Maximum(squared, _EPSILON))
        if order == 4:
            return 0.5 * raw.Square(squared) * raw.Log(raw.Maximum(squared, _EPSILON))
        safe = raw.Maximum(squared, _EPSILON)
        if order == 1:
            return raw.Sqrt(safe)
        power = raw.Pow(safe, 0.5 * order)
        return power if order % 2 else 0.5 * power * raw.Log(safe)


def interpolate_spline(
    train_points: TensorLike,
    train_values: TensorLike,
    query_points: TensorLike,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Tensor:
    """A polyharmonic spline through known values, at other points.

    J. Duchon, "Splines minimizing rotation-invariant semi-norms in Sobolev spaces" (1977).

    Args:
        train_points: float tensor of shape [batch, n, d].
        train_values: float tensor of shape [batch, n, k].
        query_points: float tensor of shape [batch, m, d].
        order: the order of the spline: 1 linear, 2 thin plate, ...
        regularization_weight: how much smoother than exact the spline may be.
        name: a name for the operations.

    Returns:
        float tensor of shape [batch, m, k].
    """
    with name_scope(name):
        train, values, query = (convert_to_tensor(x) for x in (train_points, train_values, query_points))
        with name_scope("solve"):
            weights, plane = _solved(train, values, order, regularization_weight)
        with name_scope("predict"):
            by_distance = matmul(radial_basis(squared_distances(query, train), order), weights)
            ones = ones_like(query[..., :1], train.dtype)
            return by_distance + matmul(composing.concat([query, ones], 2), plane)


def _solved(train: Tensor, values: Tensor, order: int, regularization_weight: float) -> tuple[Tensor, Tensor]:
    """The weights of the points, [b, n, k], and of the plane under them, [b, d + 1, k]."""
    batch, count, _ = unstack(composing.shape(train), num=3)
    dims, depth = train.get_shape().as_list()[-1], values.get_shape().as_list()[-1]
    if dims is None:
        raise ValueError("The number of dimensions of the input points must be statically-known.")
    if depth is None:
        raise ValueError("The dimensionality of the output values must be statically-known.")
    with name_scope("construct_linear_system"):
        matrix = radial_basis(_own_squared_distances(train), order)
        if regularization_weight > 0:
            identity = composing.expand_dims(eye(count, dtype=train.dtype), 0)
            matrix += regularization_weight * identity
        linear = composing.concat([train, ones_like(train[..., :1], dtype=train.dtype)], 2)
        left = composing.concat([matrix, composing.transpose(linear, [0, 2, 1])], 1)
        corner = composing.zeros([batch, dims + 1, dims + 1], train.dtype)
        right = composing.concat([linear, corner], 1)
        system = composing.concat([left, right], 2)
        rhs = composing.concat([values, composing.zeros([batch, dims + 1, depth], train.dtype)], 1)
    with name_scope("solve_linear_system"):
        solved = raw.MatrixSolve(system, rhs)
        return solved[:, :count, :], solved[:, count:, :]


def sparse_image_warp(
    image: Any,
    source_control_point_locations: TensorLike | np.ndarray,
    dest_control_point_locations: TensorLike | np.ndarray,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Tensor, Tensor]:
    """Images bent so that control points come to lie elsewhere.

    Args:
        image: float tensor of shape [batch, height, width, channels].
        source_control_point_locations, dest_control_point_locations: float tensors of shape [batch, n, 2] of (y, x).
        interpolation_order, regularization_weight: as for `interpolate_spline`.
        num_boundary_points: into how many parts the points held in place divide each edge; 0 holds none.
        name: a name for the operations.

    Returns:
        the images, and the flow by which they were bent, shape [batch, height, width, 2].

    Raises:
        ValueError: for a negative number of boundary points.
    """
    if num_boundary_points < 0:
        raise ValueError(f"num_boundary_points must be non-negative, got {num_boundary_points}")
    image = convert_to_tensor(image)
    source = convert_to_tensor(source_control_point_locations)
    dest = convert_to_tensor(dest_control_point_locations)
    flows = dest - source
    with name_scope(name):
        batch, height, width, _ = image.get_shape().as_list()
        places = expand_to_minibatch(grid_locations(height, width).reshape(-1, 2), batch)
        queries = constant(places, image.dtype)
        if num_boundary_points > 0:
            dest, flows = with_still_boundary(dest, flows, height, width, num_boundary_points - 1)
        flat = interpolate_spline(dest, flows, queries, interpolation_order, regularization_weight)
        flow = reshape(flat, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow


def grid_locations(image_height: int, image_width: int) -> np.ndarray:
    """The places of an image's pixels as (y, x): an array of shape [height, width, 2]."""
    axes = np.linspace(0, image_height - 1, image_height), np.linspace(0, image_width - 1, image_width)
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1)


def expand_to_minibatch(np_array: np.ndarray, batch_size: Any) -> np.ndarray:
    """An array as often as a batch has elements, one beneath the other."""
    return np.tile(np_array[None], [batch_size] + [1] * np_array.ndim)


def boundary_locations(image_height: int, image_width: int, num_points_per_edge: int) -> np.ndarray:
    """Points spread evenly along the edges of an image, its corners among them, as (y, x).

    Args:
        image_height, image_width: the size of the image.
        num_points_per_edge: how many points lie on an edge between its corners.
    """
    parts = num_points_per_edge + 2
    rows, columns = np.linspace(0, image_height - 1, parts), np.linspace(0, image_width - 1, parts)
    y, x = np.meshgrid(rows, columns, indexing="ij")
    on_edge = (y == 0) | (y == image_height - 1) | (x == 0) | (x == image_width - 1)
    return np.stack([y[on_edge], x[on_edge]], -1)


def with_still_boundary(
    control_point_locations: Tensor,
    control_point_flows: Tensor,
    image_height: int,
    image_width: int,
    boundary_points_per_edge: int,
) -> tuple[Tensor, Tensor]:
    """Control points and their flows, and behind them points along the edges of an image that do not move.

    Args:
        control_point_locations, control_point_flows: float tensors of shape [batch, n, 2].
        image_height, image_width: the size of the image.
        boundary_points_per_edge: how many of them lie on an edge between its corners.
    """
    locations, flows = convert_to_tensor(control_point_locations), convert_to_tensor(control_point_flows)
    batch = locations.get_shape().as_list()[0]
    edge = boundary_locations(image_height, image_width, boundary_points_per_edge)
    held = constant(expand_to_minibatch(edge, batch), locations.dtype)
    still = constant(expand_to_minibatch(np.zeros_like(edge), batch), locations.dtype)
    return composing.concat([locations, held], 1), composing.concat([flows, still], 1)

"""Images bent: by a field of displacements, or by what control points do."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape, shape_internal
from headrace.ops.flow.checks import assert_equal, assert_greater_equal
from headrace.ops.math.cast import cast
from headrace.ops.math.linalg_functions import matrix_solve
from headrace.ops.math.matmul import matmul
from headrace.ops.math.reduction import reduce_sum

# Keeps logarithms and roots of distances finite.
_EPSILON = 1e-10


def interpolate_bilinear(
    grid: Any, query_points: Any, name: str = "interpolate_bilinear", indexing: str = "ij"
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
        if grid.get_shape().ndims not in (None, 4):
            raise ValueError(f"Grid must be 4 dimensional, got the shape {grid.get_shape()}")
        if points.get_shape().ndims not in (None, 3):
            raise ValueError(f"Query points must be 3 dimensional, got the shape {points.get_shape()}")
        batch, height, width, channels = (shape_internal(grid)[axis] for axis in range(4))
        checks = [
            assert_equal(shape_internal(points)[2], 2, message="Query points must be size 2 in dim 2."),
            assert_greater_equal(height, 2, message="Grid height must be at least 2."),
            assert_greater_equal(width, 2, message="Grid width must be at least 2."),
        ]
        with control_dependencies([check for check in checks if check is not None]):
            points = raw.Identity(points)
        floors, alphas = [], []
        for axis, length in zip((0, 1) if indexing == "ij" else (1, 0), (height, width), strict=True):
            queries = points[:, :, axis]
            most = cast(length - 2, points.dtype)
            floor = raw.Minimum(raw.Maximum(convert_to_tensor(0.0, points.dtype), raw.Floor(queries)), most)
            floors.append(cast(floor, "int32"))
            alpha = cast(queries - floor, grid.dtype)
            alpha = raw.Maximum(convert_to_tensor(0.0, grid.dtype), alpha)
            alphas.append(raw.Minimum(alpha, convert_to_tensor(1.0, grid.dtype))[:, :, None])
        rows = reshape(grid, composing.stack([batch * height * width, channels]))
        offsets = reshape(composing.range_(batch) * height * width, composing.stack([batch, 1]))

        def corner(down: int, across: int) -> Tensor:
            return composing.gather(rows, offsets + (floors[0] + down) * width + floors[1] + across)

        above, below = (corner(d, 0) + alphas[1] * (corner(d, 1) - corner(d, 0)) for d in (0, 1))
        return above + alphas[0] * (below - above)


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Tensor:
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
        batch, height, width, channels = (shape_internal(image)[axis] for axis in range(4))
        down = composing.range_(height)[:, None] + composing.zeros_like(composing.range_(width))[None, :]
        across = composing.range_(width)[None, :] + composing.zeros_like(composing.range_(height))[:, None]
        grid = cast(composing.stack([down, across], axis=2), flow.dtype)[None]
        points = reshape(grid - flow, composing.stack([batch, height * width, 2]))
        values = interpolate_bilinear(image, points)
        result = reshape(values, composing.stack([batch, height, width, channels]))
        result.set_shape(image.get_shape())
        return result


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """The squared distances of points a [b, n, d] from b [b, m, d]."""
    norms = reduce_sum(raw.Square(a), axis=2)[..., None], reduce_sum(raw.Square(b), axis=2)[:, None, :]
    return norms[0] - 2 * matmul(a, b, adjoint_b=True) + norms[1]


def radial_basis(squared: Tensor, order: int) -> Tensor:
    """The radial basis function of an order, of squared distances."""
    safe = raw.Maximum(squared, convert_to_tensor(_EPSILON, squared.dtype))
    if order == 1:
        return raw.Sqrt(safe)
    if order == 2:
        return 0.5 * squared * raw.Log(safe)
    if order == 4:
        return 0.5 * raw.Square(squared) * raw.Log(safe)
    if order % 2 == 0:
        return 0.5 * raw.Pow(safe, convert_to_tensor(0.5 * order, squared.dtype)) * raw.Log(safe)
    return raw.Pow(safe, convert_to_tensor(0.5 * order, squared.dtype))


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Tensor:
    """A polyharmonic spline through known values, at other points.

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
        known, dims = train.get_shape().as_list()[1:]
        count: Any = shape_internal(train)[1] if known is None else known
        if dims is None:
            raise ValueError("The number of dimensions of the input points must be statically-known.")
        if values.get_shape().as_list()[-1] is None:
            raise ValueError("The dimensionality of the output values must be statically-known.")
        matrix = radial_basis(squared_distances(train, train), order)
        if regularization_weight > 0:
            identity = raw.MatrixDiag(composing.ones(composing.stack([count]), dtype=train.dtype))
            matrix += regularization_weight * identity[None]
        linear = composing.concat([train, composing.ones_like(train[..., :1])], 2)
        corner = composing.zeros_like(matmul(linear, linear, adjoint_a=True))
        system = composing.concat(
            [composing.concat([matrix, linear], 2), composing.concat([composing.matrix_transpose(linear), corner], 2)],
            1,
        )
        wanted = pad(values, [[0, 0], [0, dims + 1], [0, 0]])
        solved = matrix_solve(system, wanted)
        weights, plane = solved[:, :count, :], solved[:, count:, :]
        by_distance = matmul(radial_basis(squared_distances(query, train), order), weights)
        points = composing.concat([query, composing.ones_like(query[..., :1])], 2)
        return by_distance + matmul(points, plane)


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
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
        queries = expand_to_minibatch(grid_locations(height, width).reshape(-1, 2), batch)
        if num_boundary_points > 0:
            dest, flows = with_still_boundary(dest, flows, height, width, num_boundary_points - 1)
        flat = interpolate_spline(
            dest, flows, convert_to_tensor(queries, dest.dtype), interpolation_order, regularization_weight
        )
        flow = reshape(flat, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow


def grid_locations(image_height: int, image_width: int) -> Any:
    """The places of an image's pixels as (y, x): an array of shape [height, width, 2]."""
    axes = np.linspace(0, image_height - 1, image_height), np.linspace(0, image_width - 1, image_width)
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1)


def expand_to_minibatch(np_array: Any, batch_size: Any) -> Any:
    """An array as often as a batch has elements, one beneath the other."""
    return np.tile(np_array[None], [batch_size] + [1] * np_array.ndim)


def boundary_locations(image_height: int, image_width: int, num_points_per_edge: int) -> Any:
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
    control_point_locations: Any,
    control_point_flows: Any,
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
    held = convert_to_tensor(expand_to_minibatch(edge, batch), locations.dtype)
    return composing.concat([locations, held], 1), composing.concat([flows, composing.zeros_like(held)], 1)

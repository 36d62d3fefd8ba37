"""The largest of long rows, which are found by blocks: the order among equals, NaN, whole and broken blocks."""

import numpy as np
import pytest
import torch

from headrace.ops.nn.topk import largest

MAKERS = {
    "different": lambda rng, shape: rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32),
    "many equal": lambda rng, shape: np.round(rng.randn(*shape) * 2).astype(np.float32),
    "all equal": lambda rng, shape: np.zeros(shape, np.float32),
    "none finite": lambda rng, shape: np.full(shape, -np.inf, np.float32),
    "integers": lambda rng, shape: rng.randint(-1000, 1000, shape).astype(np.int32),
    "not numbers": lambda rng, shape: np.where(rng.rand(*shape) < 0.001, np.nan, rng.randn(*shape)).astype(np.float32),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("width", [2048, 2111, 5000])
@pytest.mark.parametrize("k", [2, 5, 8])
def test_long_rows_are_ordered_as_a_stable_sort_orders_them(kind, width, k):
    x = torch.from_numpy(MAKERS[kind](np.random.RandomState(width + k), (3, width)))
    values, indices = largest(x, k)
    expected, places = torch.sort(x, dim=-1, descending=True, stable=True)
    np.testing.assert_array_equal(values.numpy(), expected[:, :k].numpy())
    np.testing.assert_array_equal(indices.numpy(), places[:, :k].numpy())


def test_rows_that_are_not_contiguous():
    x = torch.from_numpy(np.random.RandomState(0).randn(3000, 2).astype(np.float32)).t()
    values, indices = largest(x, 4)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x.numpy(), indices.numpy(), 1))
    np.testing.assert_array_equal(values.numpy(), -np.sort(-x.numpy(), 1)[:, :4])

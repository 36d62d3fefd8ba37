"""Work divided among threads: every part once, wherever it fails, and as the undivided computation."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.devices.parallel_for import parallel_blocks, parallel_for


@pytest.fixture
def several_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("several_threads")
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 17, 1000])
def test_parts_make_up_the_whole(count):
    done, lock = [], threading.Lock()

    def compute(first, last):
        with lock:
            done.extend(range(first, last))

    parallel_for(compute, count)
    assert sorted(done) == list(range(count))
    assert torch.get_num_threads() == 4


@pytest.mark.usefixtures("several_threads")
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000])
def test_blocks_make_up_the_whole(count):
    blocks, lock = [], threading.Lock()

    def compute(first, last):
        with lock:
            blocks.append((first, last))

    parallel_blocks(compute, count, 8)
    assert sorted(blocks) == [(first, min(first + 8, count)) for first in range(0, count, 8)]


@pytest.mark.usefixtures("several_threads")
@pytest.mark.parametrize("where", [0, 50, 99])
def test_the_failure_of_any_part_is_raised_and_the_threads_are_given_back(where):
    def compute(first, last):
        if first <= where < last:
            raise ArithmeticError(f"at {where}")

    with pytest.raises(ArithmeticError, match=f"at {where}"):
        parallel_for(compute, 100)
    assert torch.get_num_threads() == 4


@settings(max_examples=20, deadline=None)
@given(size=st.integers(1, 70_000), name=st.sampled_from(["tanh", "sigmoid", "exp", "sqrt", "log1p"]))
def test_loops_chosen_by_size_agree_with_numpy(size, name):
    """Small and large arrays go through loops of NumPy's, oneDNN's or torch's: the numbers are the same but for rounding."""
    x = np.linspace(0.01, 3, size, dtype=np.float32)
    expected = {"sigmoid": lambda v: 1 / (1 + np.exp(-v))}.get(name) or getattr(np, name)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None])
        y = getattr(tf, name)(fed)
        np.testing.assert_allclose(session.run(y, {fed: x}), expected(x.astype(np.float64)), rtol=2e-6)


def test_the_devices_of_this_machine():
    names = [device.name for device in tf.config.experimental.list_physical_devices()]
    assert names[0] == "/physical_device:CPU:0"
    assert len([name for name in names if "GPU" in name]) == (
        torch.cuda.device_count() if torch.cuda.is_available() else 0
    )
    assert tf.test.is_gpu_available() == torch.cuda.is_available()

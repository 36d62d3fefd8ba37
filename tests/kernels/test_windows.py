"""The arithmetic of sliding windows, against counting them one by one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headrace.kernels.nn.windows import Layout, Padding, pad_arguments, split_padding, window_count

SIZES, WINDOWS, STRIDES = st.integers(1, 30), st.integers(1, 7), st.integers(1, 5)


def padded(size, window, stride, dilation, kind):
    """The padding before and after one axis."""
    node = SimpleNamespace(attrs={"padding": kind})
    return Padding(node, Layout("NHWC", 4), [stride], [dilation]).paddings([size], [window])[0]


@given(size=SIZES, window=WINDOWS, stride=STRIDES, dilation=st.integers(1, 3))
def test_valid_windows_are_those_that_lie_within(size, window, stride, dilation):
    reach = (window - 1) * dilation + 1
    assume(reach <= size)
    within = sum(begin + reach <= size for begin in range(0, size, stride))
    assert window_count(size, window, stride, "VALID", dilation) == within
    assert padded(size, window, stride, dilation, "VALID") == (0, 0)


@given(size=SIZES, window=WINDOWS, stride=STRIDES, dilation=st.integers(1, 3))
def test_padding_of_the_same_size_is_the_least_that_gives_a_window_a_stride(size, window, stride, dilation):
    before, after = padded(size, window, stride, dilation, "SAME")
    count = window_count(size, window, stride, "SAME", dilation)
    assert count == len(range(0, size, stride))
    assert 0 <= after - before <= 1
    reach = (window - 1) * dilation + 1
    needed = (count - 1) * stride + reach
    assert before + after == max(needed - size, 0)


@given(paddings=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=3))
def test_padding_is_divided_between_both_ends_and_the_rest(paddings):
    both, rest = split_padding(paddings)
    flat = pad_arguments(paddings)
    assert len(flat) == 2 * len(paddings)
    left = rest or [0] * len(flat)
    assert [common + left[2 * i + end] for i, common in enumerate(reversed(both)) for end in (0, 1)] == flat
    assert all(0 in (left[2 * i], left[2 * i + 1]) for i in range(len(paddings)))


def test_what_is_not_known_stays_unknown_and_what_does_not_fit_is_refused():
    assert window_count(None, 3, 1, "VALID") is None
    assert window_count(8, None, 2, "VALID") is None
    assert window_count(8, None, 2, "SAME") == 4
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 5 from 3"):
        window_count(3, 3, 1, "VALID", dilation=2)

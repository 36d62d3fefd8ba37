"""The runner's search of prefixes finds what the one in Python does, choices between equals included."""

from __future__ import annotations

import numpy as np
import pytest

from headrace import native
from headrace.native.ctc import best_prefixes
from headrace.ops.nn.ctc_decoding import _Beam

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no native runner")


def scores_of(kind: str, random: np.random.RandomState, *shape: int) -> np.ndarray:
    scores = random.randn(*shape) * random.choice([0.1, 1, 5])
    if kind == "rounded":
        return np.round(scores)
    if kind == "equal":
        return np.zeros(shape)
    if kind == "impossible":
        scores[random.rand(*shape) < 0.2] = -np.inf
    return scores


@pytest.mark.parametrize("kind", ["any", "rounded", "equal", "impossible"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_as_in_python(kind, dtype):
    random = np.random.RandomState(3)
    for _ in range(60):
        time, batch, classes, width = (int(random.randint(1, most)) for most in (12, 3, 6, 12))
        scores = scores_of(kind, random, time, batch, classes).astype(dtype)
        times = random.randint(0, time + 1, batch).tolist()
        merges, paths = bool(random.randint(2)), int(random.randint(1, width + 1))
        found = best_prefixes(scores, times, width, paths, merges)
        if found is None:
            assert any(np.isneginf(scores[:end, row]).all(-1).any() for row, end in enumerate(times))
            continue
        for row, end in enumerate(times):
            with np.errstate(all="ignore"):
                expected = _Beam(width, dtype).run(scores[:end, row], paths, merges)
            assert [labels for labels, _ in found[row]] == [labels for labels, _ in expected]
            np.testing.assert_allclose(
                [score for _, score in found[row]], [score for _, score in expected], rtol=1e-4, atol=1e-5
            )


def test_what_is_no_number_is_left_to_python():
    scores = np.zeros((2, 1, 3), np.float32)
    scores[1, 0, 1] = np.nan
    assert best_prefixes(scores, [2], 4, 1, False) is None
    assert best_prefixes(scores, [1], 4, 1, False) is not None


def test_arrays_of_other_forms_are_refused():
    with pytest.raises(ValueError, match="three axes"):
        best_prefixes(np.zeros((2, 3), np.float32), [2, 2, 2], 4, 1, False)
    with pytest.raises(ValueError, match="so many times"):
        best_prefixes(np.zeros((2, 1, 3), np.float32), [3], 4, 1, False)

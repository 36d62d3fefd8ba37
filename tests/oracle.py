"""The same program text under Headrace and under TensorFlow 1.15.5, and the comparison of what they say.

A program is plain TensorFlow 1 (`import tensorflow as tf`) that fills a dict called `results` with arrays, numbers,
strings, and lists or dicts of them. What TensorFlow says is kept in tests/golden (tools/oracle/make_goldens.py), so
that tests need no TensorFlow:

    got = run_program(text)                            # under Headrace, in this process, in a new graph
    assert_same(got, golden("user/curve_fit"))

Where `make oracle` has been run, `run_program(text, "tf1")` asks the real one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent / "tools" / "oracle"))

import recorded  # noqa: E402  the path to it is made one line above
from make_goldens import ask_oracle, oracle_python  # noqa: E402  likewise
from recorded import fingerprint  # noqa: E402, F401  likewise; tests have it from here

RTOL, ATOL = 1e-5, 1e-6


def has_oracle() -> bool:
    """Whether the real TensorFlow 1.15.5 is installed here."""
    return oracle_python() is not None


def run_program(text: str, implementation: str = "headrace", path: str = "<program>") -> dict[str, Any]:
    """The `results` of a program.

    `implementation` is "headrace" (in this process, where `tensorflow` is Headrace then) or "tf1" (the oracle, in a
    process of its own). What comes back has gone through the recorded form in both cases.
    """
    if implementation == "tf1":
        return recorded.golden_loads(ask_oracle(path, text))["results"]
    if implementation != "headrace":
        raise ValueError(f"implementation must be 'headrace' or 'tf1', got {implementation!r}")
    from headrace.core import eager
    from headrace.core.registry import _registered_gradients, find
    from headrace.shim import install_as_tensorflow
    from headrace.testing.test_util import forget_eager_names

    install_as_tensorflow(old_names=False)
    import tensorflow as tf

    if "headrace.keras.backend.learning" in sys.modules:
        # Layers of others have names in the graph that Keras keeps.
        tf.keras.backend.clear_session()
    tf.reset_default_graph()
    # What others made eagerly before has names that this program may give.
    if eager._eager_graph is not None:
        forget_eager_names()
    gradients = set(_registered_gradients)
    scope: dict[str, Any] = {"__name__": "__main__", "__file__": path}
    try:
        exec(compile(text, path, "exec"), scope)
    finally:
        # For the programs after this one.
        if tf.executing_eagerly():
            forget_eager_names()
            eager.eager_graph().seed = None
        tf.disable_v2_behavior()
        # Names that are no op types are those of overrides; modules of ours that were imported meanwhile have some.
        for name in _registered_gradients.keys() - gradients:
            if find(name) is not None:
                del _registered_gradients[name]
    return recorded.loads(recorded.dumps(scope["results"]))


def golden(name: str) -> dict[str, Any]:
    """What TensorFlow 1.15.5 said of a program: the results in tests/golden/programs/<name>.json."""
    return read_golden(name)["results"]


def read_golden(name: str) -> dict[str, Any]:
    """The `results`, the version of `tensorflow` and the fingerprint of the `program` in a golden file."""
    return recorded.golden_loads((TESTS / "golden" / "programs" / f"{name}.json").read_text())


def differences(got: Any, expected: Any, rtol: float = RTOL, atol: float = ATOL, where: str = "") -> list[str]:
    """Where `got` is not `expected`: floats within tolerance, all else (dtypes, shapes, strings) exactly."""
    if isinstance(expected, dict) and isinstance(got, dict):
        lines = [f"{where}[{key!r}]: missing" for key in expected if key not in got]
        lines += [f"{where}[{key!r}]: not expected" for key in got if key not in expected]
        for key in expected:
            if key in got:
                lines += differences(got[key], expected[key], rtol, atol, f"{where}[{key!r}]")
        return lines
    if isinstance(expected, list) and isinstance(got, list):
        if len(got) != len(expected):
            shared = next((i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]), None)
            shared = min(len(got), len(expected)) if shared is None else shared
            mine, theirs = got[shared : shared + 3], expected[shared : shared + 3]
            return [
                f"{where}: {len(expected)} expected, got {len(got)}; from [{shared}] on expected {theirs}, got {mine}"
            ]
        lines = []
        for i, (mine, theirs) in enumerate(zip(got, expected)):
            lines += differences(mine, theirs, rtol, atol, f"{where}[{i}]")
        return lines
    if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        if (got.dtype, got.shape) != (expected.dtype, expected.shape):
            return [f"{where}: expected {expected.dtype}{expected.shape}, got {got.dtype}{got.shape}"]
        if expected.dtype.kind not in "fc":
            same = np.array_equal(got, expected)
        else:
            same = np.allclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
        return [] if same else [f"{where}: expected {expected.tolist()}, got {got.tolist()}"]
    if isinstance(expected, float) and isinstance(got, float):
        close = np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
        return [] if close else [f"{where}: expected {expected!r}, got {got!r}"]
    if type(got) is type(expected) and got == expected:
        return []
    return [f"{where}: expected {expected!r}, got {got!r}"]


def assert_same(got: Any, expected: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
    """Fails with every difference between results, one a line."""
    lines = differences(got, expected, rtol, atol)
    if lines:
        raise AssertionError("\n".join(lines))

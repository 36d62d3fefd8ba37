"""Assertions of test cases: about arrays, messages, names, shapes and errors."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from absl.testing import absltest

from headrace.core import errors
from headrace.core.device import canonical_name
from headrace.core.eager import EagerTensor
from headrace.core.graph import PRODUCER_VERSION
from headrace.core.tensor import Tensor
from headrace.functions.ragged.tensor import RaggedTensor, is_ragged
from headrace.testing.proto_rounding import round_numbers

_BFLOAT16 = "bfloat16"


class Assertions(absltest.TestCase):
    """What a test can check of values, which `evaluate` computes where they are tensors."""

    evaluate: Callable[[Any], Any]

    # ---- arrays ----

    def _array(self, value: Any) -> np.ndarray:
        if isinstance(value, EagerTensor):
            # It has a value wherever it is asked for.
            value = value.numpy()
        elif isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
            value = self.evaluate(value)
        array = _as_array(value)
        return array.astype(np.float32) if array.dtype.name == _BFLOAT16 else array

    def _list(self, value: Any) -> Any:
        """A ragged tensor or anything else as lists."""
        if is_ragged(value):
            return (
                value if hasattr(value, "to_list") and not isinstance(value, RaggedTensor) else self.evaluate(value)
            ).to_list()
        return value if isinstance(value, (list, tuple)) else self._array(value).tolist()

    def _GetNdArray(self, a: Any) -> np.ndarray:
        if isinstance(a, Tensor):
            a = self.evaluate(a)
        return _as_array(a)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Checks that two (nested structures of) arrays agree within `atol + rtol * |b|`."""
        self._check_all_close(a, b, rtol, atol, "", msg)

    def _check_all_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        if is_ragged(a) or is_ragged(b):
            a, b = self._list(a), self._list(b)
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
        if isinstance(a, Mapping):
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self._check_all_close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        if isinstance(a, (list, tuple)):
            try:
                self._check_arrays_close(a, b, rtol, atol, path, msg)
            except (ValueError, TypeError):
                if len(a) != len(b):
                    raise ValueError(
                        f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. {msg or ''}"
                    ) from None
                for i, (x, y) in enumerate(zip(a, b, strict=True)):
                    self._check_all_close(x, y, rtol, atol, f"{path}[{i}]", msg)
            return
        self._check_arrays_close(a, b, rtol, atol, path, msg)

    def _check_arrays_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch{path}: expected {a.shape}, got {b.shape}. {msg or ''}")
        if a.dtype == object or b.dtype == object:
            raise TypeError(f"Neither numbers nor arrays of them at {path or 'the root'}: {a}, {b}")
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=f"{path} {msg or ''}", equal_nan=True)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with tolerances for the coarser of the two types."""
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        names = {a.dtype.name, b.dtype.name}
        for kinds, relative, absolute in (
            (("float32", "complex64"), float_rtol, float_atol),
            (("float16",), half_rtol, half_atol),
            ((_BFLOAT16,), bfloat16_rtol, bfloat16_atol),
        ):
            if names.intersection(kinds):
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        """Checks that two arrays do not agree."""
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Checks that two arrays, or ragged tensors, have the same shape and elements; NaN equals NaN."""
        if is_ragged(a) or is_ragged(b):
            self.assertEqual(self._list(a), self._list(b), msg)
            ranks = [value.ragged_rank for value in (a, b) if is_ragged(value)]
            self.assertEqual(ranks[0], ranks[-1], f"Ragged ranks {ranks}. {msg or ''}")
            return
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        same = np.asarray(a == b)
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = same | (np.isnan(a) & np.isnan(b))
        if not np.all(same):
            different = ~same
            where = np.nonzero(np.atleast_1d(different))
            raise AssertionError(f"not equal where {where}\nleft: {a[different]}\nright: {b[different]}\n{msg or ''}")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Checks that two arrays differ somewhere."""
        try:
            self.assertAllEqual(a, b, msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Checks that every element is greater than the target."""
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Checks that every element is less than the target."""
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Checks that no element is less than the target."""
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Checks that no element is greater than the target."""
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Checks that all elements lie between the bounds."""
        array = self._array(target)
        if not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
            raise AssertionError(
                f"The value of {target} does not have an ordered numeric type, instead it has type: {array.dtype}"
            )
        self._no_offenders(np.isnan(array), array, "NaN")
        low = array <= lower_bound if open_lower_bound else array < lower_bound
        high = array >= upper_bound if open_upper_bound else array > upper_bound
        bounds = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
        self._no_offenders(low | high, array, f"outside the range {bounds}")

    def _no_offenders(self, offending: Any, array: np.ndarray, what: str) -> None:
        places = np.argwhere(offending)
        if len(places):
            shown = [f"  {place} : {array[tuple(place)]}" for place in places[:10]]
            if len(places) > len(shown):
                shown.append("  ...")
            raise AssertionError(
                f"{len(places)} of the {array.size} element(s) are {what}. Subscript(s) and value(s) of the offending "
                "elements:\n" + "\n".join(shown)
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Checks that all elements are among the expected ones."""
        unknown = np.setdiff1d(self._array(target).ravel(), list(expected_set))
        if unknown.size:
            raise AssertionError(f"{unknown.size} unique element(s) are not in the set {expected_set}: {unknown}")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Checks the NumPy element type of an array or tensor."""
        self.assertEqual(self._GetNdArray(target).dtype, expected_dtype)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Checks that the norm of the difference is below `err`."""
        near = self._NDArrayNear(ndarray1, ndarray2, err)
        self.assertTrue(near, msg or f"the norm of the difference is not below {err}")

    def _NDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float) -> bool:
        return bool(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)) < err)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Checks that two numbers differ by at most `err`."""
        self.assertTrue(f1 == f2 or math.fabs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r} ({msg or ''})")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Checks that two arrays differ by at most `err` in each element."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    # ---- messages, names, shapes ----

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Checks how a string begins."""
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does not start with {expected_start!r}"))

    def assertProtoEquals(self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None) -> None:
        """Checks that two messages are equal up to the last digits of floats; the first may be in text form."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            from google.protobuf import text_format

            expected = text_format.Merge(expected, type(message)())
        elif not isinstance(expected, type(message)):
            raise AssertionError(f"Can't compare protos of type {type(expected)} and {type(message)}. {msg or ''}")
        if expected != message:
            copies = type(message)(), type(message)()
            for copy, original in zip(copies, (expected, message), strict=True):
                copy.CopyFrom(original)
                round_numbers(copy)
            expected, message = copies
        if expected != message:
            # The texts show where; where they do not, the messages differ in the sign of a zero or the like.
            self.assertMultiLineEqual(str(expected), str(message), msg)

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int = PRODUCER_VERSION,
        min_consumer: int = 0,
        msg: str | None = None,
    ) -> None:
        """`assertProtoEquals` of a GraphDef in text form, without its versions, and one with these versions."""
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n"
        self.assertProtoEquals(versions + expected, actual, msg=msg)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: str | None = None) -> None:
        """Checks that a tensor's static shape is the array's."""
        if not isinstance(np_array, (np.ndarray, np.generic)):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        if not isinstance(tf_tensor, Tensor):
            raise TypeError("tf_tensor must be a Tensor")
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)

    def assertDeviceEqual(self, device1: str, device2: str, msg: str | None = None) -> None:
        """Checks that two device names mean the same."""
        self.assertEqual(canonical_name(device1), canonical_name(device2), msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]  # 1.x's form is a context only
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Checks that an exception is raised whose text matches a regular expression or which satisfies a predicate."""
        try:
            yield
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")
        except Exception as error:
            if not isinstance(error, exception_type) or not _matches(error, expected_err_re_or_predicate):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """`assertRaisesWithPredicateMatch` for the errors of operations."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    # The names of Python 2's unittest, which 1.x's tests use.
    assertItemsEqual = absltest.TestCase.assertCountEqual
    assertRaisesRegexp = absltest.TestCase.assertRaisesRegex


def _as_array(value: Any) -> np.ndarray:
    """An array of anything; where the parts have different shapes, an array of these parts."""
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.asarray(value)
    except ValueError:
        parts = np.empty(len(value), object)
        parts[:] = list(value)
        return parts


def _matches(error: Exception, expected: Any) -> Any:
    """Whether the text of an error, with the names of the operations it came from, is the expected one."""
    if callable(expected):
        return expected(error)
    text = error.message if isinstance(error, errors.OpError) else str(error)
    op = error.op if isinstance(error, errors.OpError) else None
    while op is not None:
        text += f"\nCaused by: {op.name}"
        op = op._original_op
    return re.search(expected, text)

"""Tests that run with each combination of arguments: `combine`, `times` and `generate`, as 1.15's test modules have them."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import unittest
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from headrace.config.eager_context import eager_mode
from headrace.config.settings import list_logical_devices
from headrace.core.graph import Graph
from headrace.devices.listing import is_gpu_available

# Arguments that say how a test runs; a test takes them only if it has parameters of these names.
_HOW = ("mode", "tf_api_version", "required_gpus", "required_tpus", "required_tpu")


class NamedObject:
    """A value with a name, for arguments whose text would say nothing.

    Args:
        name: what it is called in the name of the test.
        obj: the value, whose attributes are those of this object.
    """

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the value gives for these arguments."""
        return self._obj(*args, **kwargs)

    def __repr__(self) -> str:
        return self._name


class NamedDistribution:
    """A distribution strategy with a name; a test gets the strategy, and is skipped where it lacks devices.

    Args:
        name: what it is called in the name of the test.
        distribution_fn: it makes the strategy.
        required_gpus: how many GPUs the strategy needs; None for none.
        required_tpu: whether it needs a TPU.

    Example:
        >>> named = NamedDistribution("OneCPU", lambda: tf.distribute.OneDeviceStrategy("/cpu:0"))
        >>> named, named.strategy.num_replicas_in_sync
        (OneCPU, 1)
    """

    def __init__(
        self,
        name: str,
        distribution_fn: Callable[[], Any],
        required_gpus: int | None = None,
        required_tpu: bool = False,
    ) -> None:
        self._name, self._distribution_fn = name, distribution_fn
        self.required_gpus, self.required_tpu = required_gpus, required_tpu

    @property
    def strategy(self) -> Any:
        """The strategy, made anew."""
        return self._distribution_fn()

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[OrderedDict[str, Any]]:
    """All combinations of arguments.

    Args:
        **kwargs: for each argument a list of its values, or its only value.

    Example:
        >>> combine(a=[1, 2], b=3)
        [OrderedDict([('a', 1), ('b', 3)]), OrderedDict([('a', 2), ('b', 3)])]
    """
    names = sorted(kwargs)
    values = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [OrderedDict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values)]


def times(*combined: Sequence[OrderedDict[str, Any]]) -> list[OrderedDict[str, Any]]:
    """All combinations of one of each of several lists of combinations.

    Raises:
        ValueError: if an argument is in two of the lists.
    """
    made = []
    for parts in itertools.product(*combined):
        names = [name for part in parts for name in part]
        if len(names) != len(set(names)):
            raise ValueError(f"Keys need to not overlap: {[list(part) for part in parts]}")
        made.append(OrderedDict((name, value) for part in parts for name, value in part.items()))
    return made


def generate(combinations: Sequence[OrderedDict[str, Any]], test_combinations: Any = ()) -> Callable[[Any], Any]:
    """A decorator of test methods, and of classes of them, that runs a test with each combination.

    Args:
        combinations: what `combine` and `times` make. `mode` says whether a test runs as a graph or eagerly,
            `tf_api_version` of which API it is, `required_gpus` how many it needs: where there is no such thing here, the
            test is skipped. A `NamedDistribution` becomes its strategy.
        test_combinations: not supported.

    Raises:
        NotImplementedError: for `test_combinations`.
    """
    if test_combinations:
        raise NotImplementedError("generate: test_combinations is not supported; decorate the tests instead.")
    from absl.testing import parameterized

    named = [OrderedDict([*each.items(), ("testcase_name", f"_test{_name_of(each)}")]) for each in combinations]

    def method(test: Callable[..., None]) -> Any:
        return parameterized.named_parameters(*named)(_run_as_asked(test))

    def decorate(test: Any) -> Any:
        if not isinstance(test, type):
            return method(test)
        for name, function in list(vars(test).items()):
            if name.startswith(unittest.TestLoader.testMethodPrefix) and inspect.isfunction(function):
                delattr(test, name)
                for each in named:
                    arguments = {key: value for key, value in each.items() if key != "testcase_name"}
                    run = functools.partialmethod(_run_as_asked(function), **arguments)
                    setattr(test, f"{name}{each['testcase_name']}", run)
        return test

    return decorate


def _name_of(combination: OrderedDict[str, Any]) -> str:
    parts = []
    for i, (key, value) in enumerate(combination.items()):
        text = re.sub("0[xX][0-9a-fA-F]+", str(i), str(value))
        parts.append(f"_{''.join(filter(str.isalnum, key))}_{''.join(filter(str.isalnum, text))}")
    return "".join(parts)


def _run_as_asked(test: Callable[..., None]) -> Callable[..., None]:
    taken = inspect.signature(test).parameters

    @functools.wraps(test)
    def run(self: Any, **kwargs: Any) -> None:
        mode = kwargs.get("mode", "graph")
        if mode not in ("graph", "eager"):
            raise ValueError(f"'mode' has to be either 'eager' or 'graph' and not {mode}")
        if kwargs.get("tf_api_version", 1) == 2:
            self.skipTest("Skipping a TF2 test when TF2 is not enabled.")
        reason = _lacking(kwargs)
        if reason:
            self.skipTest(reason)
        arguments = {key: value for key, value in kwargs.items() if key in taken or key not in _HOW}
        with eager_mode() if mode == "eager" else Graph().as_default():
            for key, value in arguments.items():
                if isinstance(value, NamedDistribution):
                    arguments[key] = value.strategy
            test(self, **arguments)

    # What decorates it further sees the arguments of the combination.
    run.__signature__ = inspect.Signature()  # type: ignore[attr-defined]  # functions take any attribute
    return run


def _lacking(kwargs: dict[str, Any]) -> str | None:
    """Which devices a test needs that are not there."""
    distributions = [value for value in kwargs.values() if isinstance(value, NamedDistribution)]
    asked = {key: kwargs.get(key) for key in ("required_gpus", "required_tpus", "required_tpu")}
    for key, number in asked.items():
        if distributions and number:
            raise ValueError(f"Do not use `{key}` and arguments of type NamedDistribution together.")
    gpus = max(int(asked["required_gpus"] or 0), *(each.required_gpus or 0 for each in distributions), 0)
    there = len(list_logical_devices("GPU")) if gpus and is_gpu_available() else 0
    if there < gpus:
        return f"Only {there} of {gpus} required GPUs are available."
    if asked["required_tpus"] or asked["required_tpu"] or any(each.required_tpu for each in distributions):
        return "Test requires a TPU, but it's not available."
    return None

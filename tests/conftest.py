"""What every test starts from: an empty default graph, and the device that was asked for."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

# How long it takes to draw examples says something of the machine only.
hypothesis.settings.register_profile("headrace", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("headrace")

# Shells start what runs in the background with interrupts ignored, and programs started from there inherit that. Tests
# interrupt programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest --device cuda tests/programs tests/ops`"""
    parser.addoption(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where the declared cases and the programs run"
    )


@pytest.fixture(autouse=True)
def empty_default_graph() -> Iterator[None]:
    """Each test builds into a graph of its own, so that names begin where the test's text lets one expect them to."""
    from headrace.core.defaults import reset_default_graph

    reset_default_graph()
    yield
    reset_default_graph()


@pytest.fixture(autouse=True)
def seed_of_eager_execution() -> Iterator[None]:
    """A test may set it, and test cases of programs do; the next one begins with what was there."""
    from headrace.core import eager

    before = eager._eager_graph and eager._eager_graph.seed
    yield
    if eager._eager_graph is not None and eager._eager_graph.seed != before:
        eager._eager_graph.seed = before


@pytest.fixture(autouse=True)
def kind_of_variables() -> Iterator[None]:
    """An estimator of trees makes all variables resources from then on; the next test begins as a program does."""
    from headrace.state.modes import disable_resource_variables, enable_resource_variables, resource_variables_enabled

    before = resource_variables_enabled()
    yield
    (enable_resource_variables if before else disable_resource_variables)()


@pytest.fixture(autouse=True)
def level_of_the_log() -> Iterator[None]:
    """A test, or a program that it runs, may silence the log; the next one begins with the level as it was."""
    logger = logging.getLogger("tensorflow")
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.fixture
def on_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--device cuda`, every graph begins with `tf.device("/gpu:0")`, and what has no kernel there runs on the CPU."""
    if request.config.getoption("device") == "cpu":
        return
    import torch

    if not torch.cuda.is_available():
        pytest.skip("--device cuda: torch has no CUDA here")
    from headrace.core.defaults import reset_default_graph
    from headrace.core.graph import Graph
    from headrace.core.graph_scopes import device_scope
    from headrace.devices.process_settings import settings

    begin = Graph.__init__

    def begin_on_the_gpu(graph: Graph, *args: Any, **keywords: Any) -> None:
        begin(graph, *args, **keywords)
        graph._scopes.devices = [device_scope("/gpu:0")]

    monkeypatch.setattr(Graph, "__init__", begin_on_the_gpu)
    monkeypatch.setattr(settings, "soft_placement", True)
    reset_default_graph()


@pytest.fixture
def plain_calls() -> Iterator[None]:
    """Plans without native regions: for tests that look at the calls of kernels."""
    from headrace.plan.pipeline import without

    with without("native regions"):
        yield


@pytest.fixture
def legal_graphs() -> Iterator[None]:
    """Every graph that is planned is checked before and after each pass: see `headrace.plan.invariants`."""
    from headrace.plan.invariants import checked

    with checked():
        yield

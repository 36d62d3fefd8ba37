"""What chooses the settings of experiments, one trial after the other."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any


class Tuner(abc.ABC):
    """The interface of what `tf.contrib.learn.learn_runner.tune` asks for trials; a subclass talks to a service of its own.

    Example:
        >>> class Once(Tuner):
        ...     done = False
        ...     def next_trial(self):
        ...         return not self.done
        ...     def run_experiment(self, experiment_fn):
        ...         experiment_fn(run_config, HParams(rate=0.1)).train_and_evaluate()
        ...         self.done = True
    """

    @abc.abstractmethod
    def next_trial(self) -> bool:
        """Goes on to the next trial.

        Returns:
            whether there is one.
        """

    @abc.abstractmethod
    def run_experiment(self, experiment_fn: Callable[..., Any]) -> None:
        """Makes the experiment of the trial and runs it.

        Args:
            experiment_fn: called with a `RunConfig` and the settings of the trial, `HParams`; returns an `Experiment`.
        """

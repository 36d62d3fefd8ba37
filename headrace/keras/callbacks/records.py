"""Callbacks that keep or write down the numbers of training."""

from __future__ import annotations

import csv
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from headrace.files.file_io import file_exists
from headrace.files.gfile import GFile
from headrace.keras.callbacks.base import Callback, Logs
from headrace.keras.utils.np_utils import number_of
from headrace.keras.utils.progress import Progbar
from headrace.util import tf_logging


class BaseLogger(Callback):
    """Averages the numbers of batches over the epoch. Every model is trained with one.

    Args:
        stateful_metrics: names of metrics that are averages already: of them the last number counts.
    """

    def __init__(self, stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or [])
        self.seen = 0
        self.totals: dict[str, float] = {}

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Begins anew."""
        self.seen = 0
        self.totals = {}

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Adds what a batch gave, by its size."""
        logs = logs or {}
        # A strategy may have taken several steps at once.
        count = logs.get("size", 0) * logs.get("num_steps", 1)
        self.seen += count
        for name, value in logs.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0) + number_of(value) * count

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Puts the averages into `logs`, for the callbacks after this one."""
        if logs is None:
            return
        for name in self.params["metrics"]:
            if name in self.totals:
                stateful = name in self.stateful_metrics
                logs[name] = self.totals[name] if stateful else self.totals[name] / self.seen


class History(Callback):
    """The numbers of each epoch: what `fit` returns.

    Attributes:
        epoch: the epochs.
        history: the numbers of them all, by name.

    Example:
        >>> history = model.fit(np.ones([8, 3]), np.zeros([8, 2]), epochs=2)
        >>> history.epoch, list(history.history)
        ([0, 1], ['loss'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begins anew."""
        self.epoch = []
        self.history = {}

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Adds the numbers of an epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class ProgbarLogger(Callback):
    """Prints how far training is, and its numbers so far.

    Args:
        count_mode: "samples" or "steps": what it counts.
        stateful_metrics: names of metrics that are averages already.

    Raises:
        ValueError: for another mode.
    """

    def __init__(self, count_mode: str = "samples", stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f"Unknown `count_mode`: {count_mode}; it is 'samples' or 'steps'.")
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or [])
        self.log_values: list[tuple[str, Any]] = []
        self.seen = 0
        self.target: int | None = None
        self.verbose, self.epochs = 0, 1

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Takes what is asked for."""
        self.verbose = self.params["verbose"]
        self.epochs = self.params["epochs"]

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Prints which epoch it is, and begins a bar."""
        self.seen = 0
        self.target = self.params["steps" if self.use_steps else "samples"]
        if self.verbose and self.epochs > 1:
            print(f"Epoch {epoch + 1}/{self.epochs}")
        self.progbar = Progbar(
            target=self.target,
            verbose=self.verbose,
            stateful_metrics=self.stateful_metrics,
            unit_name="step" if self.use_steps else "sample",
        )

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Forgets the numbers of the batch before."""
        self.log_values = []

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Moves the bar; after the last batch the end of the epoch does."""
        logs = logs or {}
        steps = logs.get("num_steps", 1)
        self.seen += steps if self.use_steps else logs.get("size", 0) * steps
        self._take(logs)
        if self.verbose and (self.target is None or self.seen < self.target):
            self.progbar.update(self.seen, self.log_values)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Completes the bar, with the averages."""
        self._take(logs or {})
        if self.verbose:
            self.progbar.update(self.seen, self.log_values)

    def _take(self, logs: Logs) -> None:
        self.log_values += [(name, logs[name]) for name in self.params["metrics"] if name in logs]


class CSVLogger(Callback):
    """Writes the numbers of each epoch as a line of a file.

    Args:
        filename: the file.
        separator: what is between the columns.
        append: whether lines are added to a file that is there; it is written anew otherwise.

    Example:
        >>> log = tf.keras.callbacks.CSVLogger("training.csv")
        >>> history = model.fit(np.ones([8, 3]), np.zeros([8, 2]), callbacks=[log])
    """

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.sep = separator
        self.filename = filename
        self.append = append
        self.writer: csv.DictWriter[str] | None = None
        self.keys: list[str] | None = None
        self.append_header = True
        self.csv_file: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Opens the file."""
        if self.append and file_exists(self.filename):
            with GFile(self.filename) as before:
                self.append_header = not before.readline()
        # The file ends when training does, or the program.
        self.csv_file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes a line, and before the first one the names of the columns."""
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
        if getattr(self.model, "stop_training", False):
            # The last epoch has not been validated; its columns are there all the same.
            logs = {key: logs.get(key, "NA") for key in self.keys}
        if self.writer is None:
            self.writer = self._columns(self.keys)
        row = {"epoch": epoch} | {key: _cell(logs[key]) for key in self.keys}
        self.writer.writerow(row)
        self.csv_file.flush()

    def _columns(self, keys: list[str]) -> csv.DictWriter[str]:
        writer = csv.DictWriter(self.csv_file, ["epoch", *keys], delimiter=self.sep)
        if self.append_header:
            writer.writeheader()
        return writer

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Closes the file."""
        self.csv_file.close()
        self.writer = None


def _cell(value: object) -> object:
    """A sequence is written as one text, so that it stays in its column."""
    if isinstance(value, str) or (isinstance(value, np.ndarray) and value.ndim == 0) or not isinstance(value, Iterable):
        return value
    return f'"[{", ".join(map(str, value))}]"'


class RemoteMonitor(Callback):
    """Sends the numbers of each epoch to a server.

    Args:
        root: the address of the server.
        path: where below it they are posted.
        field: the field of a form that holds them as JSON.
        headers: of the request.
        send_as_json: whether they are the request's body themselves, not a field of a form.
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: Mapping[str, str] | None = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers = headers
        self.send_as_json = send_as_json

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Posts them; where no server answers, a warning says so and training goes on."""
        values = {"epoch": epoch} | {
            name: value.item() if isinstance(value, (np.ndarray, np.generic)) else value
            for name, value in (logs or {}).items()
        }
        text = json.dumps(values)
        if self.send_as_json:
            body, kind = text.encode(), "application/json"
        else:
            body, kind = urllib.parse.urlencode({self.field: text}).encode(), "application/x-www-form-urlencoded"
        address = self.root + self.path
        if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
            raise ValueError(f"RemoteMonitor sends to a server, whose address begins with http: got {address!r}.")
        request = urllib.request.Request(address, body, {"Content-Type": kind} | dict(self.headers or {}))
        try:
            with urllib.request.urlopen(request):
                pass
        except (urllib.error.URLError, OSError) as error:
            tf_logging.warning("Warning: could not reach RemoteMonitor root server at %s: %s", self.root, error)

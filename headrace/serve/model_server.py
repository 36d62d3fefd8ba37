"""The models that a server offers: their versions come and go while requests are answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.saved_model import names
from headrace.serve import messages
from headrace.serve.batching import BatchingOptions, BatchScheduler
from headrace.serve.failures import FAILURES, code_of, message_of
from headrace.serve.graph_files import load_graph
from headrace.serve.metrics import LOAD_ATTEMPTS, LOAD_LATENCY, Metrics
from headrace.serve.model_configs import GraphSignature, ModelConfig, model_configs, read_text
from headrace.serve.servable import Servable, load_servable
from headrace.serve.warmup import warm_up
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.messages import protos


_MOST_ENDED = 10


@dataclass(frozen=True)
class ServerOptions:
    """How models are loaded and run.

    Args:
        tags: the tags of the graphs to load.
        session_config: a `ConfigProto` for the models' sessions.
        poll_seconds: how often folders are searched for new versions: 0 for once, negative for never.
        config_file: the file of the models, read again every `config_poll_seconds` where that is not 0.
        load_retries, retry_seconds: how often, and how long after the last time, a version that failed is tried again.
        load_threads: how many versions are loaded at the same time.
        warmup, warmup_iterations: whether models' own requests are run first, and how often each.
        batching: how requests are put together; they are not by default.
        labels_ahead: whether a label may name a version that is not there yet.
    """

    tags: tuple[str, ...] = (names.SERVING,)
    session_config: protos.ConfigProto | None = None
    poll_seconds: float = 1.0
    config_file: str = ""
    config_poll_seconds: float = 0.0
    load_retries: int = 5
    retry_seconds: float = 60.0
    load_threads: int = 1
    warmup: bool = True
    warmup_iterations: int = 1
    batching: BatchingOptions | None = None
    labels_ahead: bool = False


@dataclass(eq=False)
class _Version:
    """A version of a model and how far it is."""

    model: str
    number: int
    path: str
    graph: GraphSignature | None = None
    state: str = "START"
    error: BaseException | None = None
    servable: Servable | None = None
    users: int = 0
    attempts: int = 0
    tried: float = field(default=0.0)


class ModelServer:
    """Loads models, follows their folders, and lends loaded versions to requests.

    Args:
        models: what to serve.
        options: how.

    Example:
        >>> x = tf.placeholder(tf.float32, [None])
        >>> tf.saved_model.simple_save(sess, "models/half/1", {"x": x}, {"y": x / 2})
        >>> server = ModelServer([ModelConfig("half", os.path.abspath("models/half"))])
        >>> server.start()
        >>> with server.using("half") as servable:
        ...     servable.predict("", {"x": np.float32([1.0])})
        {'y': array([0.5], dtype=float32)}
        >>> server.close()
    """

    def __init__(self, models: Iterable[ModelConfig] = (), options: ServerOptions | None = None) -> None:
        self.options = options or ServerOptions()
        self.metrics = Metrics()
        self._models = {model.name: model for model in models}
        self._versions: dict[str, dict[int, _Version]] = {}
        self._changed = threading.Condition()
        self._updating = threading.Lock()
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self._batches = BatchScheduler(self.options.batching, self.metrics) if self.options.batching else None

    # ---- life ----

    def start(self) -> None:
        """Loads what is there and begins to follow what comes.

        Raises:
            FailedPreconditionError: for a label of a version that could not be loaded.
            OSError, InvalidArgumentError: for a file of models that cannot be read.
        """
        if self.options.config_file:
            configs = self._read_configs()
            with self._updating:
                self._models = {model.name: model for model in configs}
        if self.options.poll_seconds >= 0:
            self.update()
            self._check_labels(self._models.values())
        if self.options.poll_seconds > 0:
            self._spawn(self.update, self.options.poll_seconds, "model-versions")
        if self.options.config_file and self.options.config_poll_seconds > 0:
            self._spawn(self._follow_config, self.options.config_poll_seconds, "model-configs")

    def close(self) -> None:
        """Ends what follows folders, waits for requests that are being answered, and lets all models go."""
        self._closing.set()
        for thread in self._threads:
            thread.join()
        with self._updating:
            for versions in list(self._versions.values()):
                for version in list(versions.values()):
                    self._unload(version)
        if self._batches is not None:
            self._batches.close()

    def _spawn(self, action: Callable[[], None], seconds: float, name: str) -> None:
        def repeat() -> None:
            while not self._closing.wait(seconds):
                try:
                    action()
                except FAILURES as error:
                    tf_logging.error("%s: %s", name, message_of(error))

        thread = threading.Thread(target=repeat, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    # ---- models and versions ----

    def reload(self, message: Any) -> None:
        """Serves the models of a `ModelServerConfig` instead of those before.

        Raises:
            InvalidArgumentError: for a list that cannot be; then nothing changes.
            FailedPreconditionError: for a label of a version that is not there.
            UnknownError: if a model has no version that can be loaded.
        """
        configs = model_configs(message)
        with self._updating:
            before, self._models = self._models, {model.name: model for model in configs}
        self.update()
        broken = [model.name for model in configs if not self._available(model.name)]
        if broken:
            raise errors.UnknownError(
                None, None, f"{len(broken)} servable(s) did not become available: {{{', '.join(self._why(broken))}}}"
            )
        try:
            self._check_labels(configs)
        except errors.FailedPreconditionError:
            # Labels stay as they were; a label must not point into the void because of a slip in a file.
            with self._updating:
                self._models = {
                    name: ModelConfig(
                        name, model.base_path, model.policy, before[name].labels if name in before else {}
                    )
                    for name, model in self._models.items()
                }
            raise

    def _why(self, broken: Iterable[str]) -> list[str]:
        reasons = []
        for name in broken:
            failed = [version for version in self._versions.get(name, {}).values() if version.error is not None]
            if not failed:
                reasons.append(f"{name}: no versions found under base path {self._models[name].base_path}")
            reasons += [f"{name} version {one.number}: {message_of(one.error)}" for one in failed if one.error]
        return reasons

    def _follow_config(self) -> None:
        configs = self._read_configs()
        if {model.name: model for model in configs} != self._models:
            self.reload(read_text(self.options.config_file, messages.ModelServerConfig()))

    def _read_configs(self) -> list[ModelConfig]:
        return model_configs(read_text(self.options.config_file, messages.ModelServerConfig()))

    def _check_labels(self, configs: Iterable[ModelConfig]) -> None:
        if self.options.labels_ahead:
            return
        for model in configs:
            available = self._available(model.name)
            for label, number in model.labels.items():
                if number not in available:
                    raise errors.FailedPreconditionError(
                        None,
                        None,
                        f"Request to assign label to version {number} of model {model.name}, which is not currently "
                        f"available for inference (label {label!r})",
                    )

    def update(self) -> None:
        """Loads versions that are wanted and not there, then lets go of those that are there and not wanted."""
        with self._updating:
            wanted: dict[str, set[int]] = {}
            loading: list[_Version] = []
            for model in self._models.values():
                there = model.versions()
                wanted[model.name] = set(model.policy.choose(there))
                if not there and not self._versions.get(model.name):
                    tf_logging.log_every_n(
                        tf_logging.WARN,
                        "No versions of servable %s found under base path %s",
                        60,
                        model.name,
                        model.base_path,
                    )
                for number in sorted(wanted[model.name]):
                    version = self._to_load(model, number, there[number])
                    if version is not None:
                        loading.append(version)
            # In threads that end: torch's threads of one that stays would hinder those of requests. Where there are more than
            # processors, OpenMP has them sleep between kernels, and an inception v1 on two processors takes a fifth longer.
            with ThreadPoolExecutor(max(1, self.options.load_threads)) as pool:
                list(pool.map(self._load, loading))
            self._drop_unwanted(wanted)

    def _to_load(self, model: ModelConfig, number: int, path: str) -> _Version | None:
        """The entry of a version that is to be loaded now, None for one that is loaded or not to be tried."""
        versions = self._versions.setdefault(model.name, {})
        version = versions.get(number)
        if version is not None and version.state != "END":
            return None
        if version is None or version.error is None or version.path != path:
            version = _Version(model.name, number, path, model.graph)
            with self._changed:
                versions[number] = version
            return version
        if version.attempts > self.options.load_retries:
            return None
        return version if time.monotonic() - version.tried >= self.options.retry_seconds else None

    def _load(self, version: _Version) -> None:
        self._set_state(version, "LOADING")
        version.attempts += 1
        tf_logging.info("Loading %s version %d from %s", version.model, version.number, version.path)
        began = time.monotonic()
        try:
            servable = self._servable(version)
            warmed = warm_up(servable, version.path, self.options.warmup_iterations) if self.options.warmup else 0
        except FAILURES as error:
            version.error, version.tried = error, time.monotonic()
            self._set_state(version, "END")
            self.metrics.count(LOAD_ATTEMPTS, model_path=version.path, status="fail")
            tf_logging.error("Loading %s version %d failed: %s", version.model, version.number, message_of(error))
            return
        seconds = time.monotonic() - began
        self.metrics.count(LOAD_ATTEMPTS, model_path=version.path, status="success")
        self.metrics.count(LOAD_LATENCY, int(seconds * 1e6), model_path=version.path)
        with self._changed:
            version.servable, version.error = servable, None
            version.state = "AVAILABLE"
            self._changed.notify_all()
        tf_logging.info(
            "Serving %s version %d: loaded in %.2f s, %d warmup requests",
            version.model,
            version.number,
            seconds,
            warmed,
        )

    def _servable(self, version: _Version) -> Servable:
        config = self.options.session_config
        if version.graph is not None:
            return load_graph(version.model, version.number, version.path, version.graph, config, self._batches)
        return load_servable(version.model, version.number, version.path, self.options.tags, config, self._batches)

    def _drop_unwanted(self, wanted: Mapping[str, set[int]]) -> None:
        for model, versions in self._versions.items():
            keep = wanted.get(model, set())
            served = any(versions[number].state == "AVAILABLE" for number in keep if number in versions)
            # While none of those that are wanted is there, the old ones answer.
            if served or not keep:
                for version in list(versions.values()):
                    if version.number not in keep:
                        self._unload(version)
        with self._changed:
            for model, versions in list(self._versions.items()):
                ended = [number for number, one in versions.items() if one.state == "END" and one.error is None]
                # Of those that have gone some are still told of; a server that runs for years sees many.
                for number in sorted(ended)[:-_MOST_ENDED]:
                    del versions[number]
                if not versions:
                    del self._versions[model]

    def _unload(self, version: _Version) -> None:
        """Takes a version away from new requests, waits for those that have it, and frees it."""
        if version.state != "AVAILABLE":
            return
        with self._changed:
            version.state = "UNLOADING"
            self._changed.notify_all()
            while version.users:
                self._changed.wait()
            servable, version.servable = version.servable, None
        if servable is not None:
            servable.close()
        self._set_state(version, "END")
        tf_logging.info("Unloaded %s version %d", version.model, version.number)

    def _set_state(self, version: _Version, state: str) -> None:
        with self._changed:
            version.state = state
            self._changed.notify_all()

    # ---- requests ----

    def _available(self, model: str) -> list[int]:
        with self._changed:
            found = self._versions.get(model, {})
            return sorted(number for number, version in found.items() if version.state == "AVAILABLE")

    @contextmanager
    def using(self, name: str, version: int | None = None, label: str | None = None) -> Iterator[Servable]:
        """A loaded version of a model; it stays loaded until the context ends.

        Args:
            name: the model.
            version: its version, the highest by default.
            label: instead of a version, a name of it.

        Raises:
            NotFoundError: if there is no such model, or not that version.
            InvalidArgumentError: if there is no such label, or no name.
        """
        with self._changed:
            found = self._find(name, version, label)
            found.users += 1
            servable = found.servable
        try:
            if servable is None:
                raise errors.NotFoundError(None, None, f"Servable not found for request: Latest({name})")
            yield servable
        finally:
            with self._changed:
                found.users -= 1
                if not found.users and found.state == "UNLOADING":
                    self._changed.notify_all()

    def _find(self, name: str, number: int | None, label: str | None) -> _Version:
        if not name:
            raise errors.InvalidArgumentError(None, None, "ModelSpec has no name specified.")
        versions = self._versions.get(name, {})
        if label is not None:
            labels = self._models[name].labels if name in self._models else {}
            if label not in labels:
                raise errors.InvalidArgumentError(None, None, f"Unrecognized servable version label: {label}")
            number = labels[label]
        if number is not None:
            chosen = versions.get(number)
            if chosen is not None and chosen.state == "AVAILABLE":
                return chosen
            raise errors.NotFoundError(None, None, f"Servable not found for request: Specific({name}, {number})")
        available = [one for one in versions.values() if one.state == "AVAILABLE"]
        if not available:
            raise errors.NotFoundError(None, None, f"Servable not found for request: Latest({name})")
        return max(available, key=lambda one: one.number)

    def status(self, name: str, version: int | None = None, label: str | None = None) -> Any:
        """The `GetModelStatusResponse` of a model; NotFoundError if there is no such model or version."""
        response = messages.GetModelStatusResponse()
        with self._changed:
            versions = dict(self._versions.get(name, {}))
            if label is not None:
                version = self._find(name, None, label).number
            if version is not None:
                if version not in versions:
                    raise errors.NotFoundError(None, None, f"Could not find version {version} of model {name}")
                versions = {version: versions[version]}
            if not versions:
                raise errors.NotFoundError(None, None, f"Could not find any versions of model {name}")
            for number in sorted(versions, reverse=True):
                one = versions[number]
                added = response.model_version_status.add(version=number)
                added.state = added.State.Value(one.state)
                added.status.error_code = code_of(one.error) if one.error is not None else errors.OK
                added.status.error_message = message_of(one.error) if one.error is not None else ""
        return response

    def ready(self) -> bool:
        """Whether every model has a version that answers."""
        return all(self._available(name) for name in list(self._models))

    @property
    def models(self) -> dict[str, ModelConfig]:
        """What is served, by name."""
        return dict(self._models)

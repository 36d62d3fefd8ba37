"""Which models a server offers, and which of their versions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import text_format

from headrace.checkpoints.checkpoint_state import checkpoint_exists, latest_checkpoint
from headrace.core import errors
from headrace.files import file_io
from headrace.serve import messages

_URL = re.compile(r"\w+://")
_CHECKPOINT_FILES = (".meta", ".index")


@dataclass(frozen=True)
class VersionPolicy:
    """Which of the versions that are there are served.

    Args:
        latest: so many of the highest numbers.
        specific: just these.
        every: all of them.
    """

    latest: int = 1
    specific: frozenset[int] = frozenset()
    every: bool = False

    def choose(self, there: Iterable[int]) -> list[int]:
        """Those of some versions that are to be served, in their order."""
        versions = sorted(there)
        if self.every:
            return versions
        if self.specific:
            return [version for version in versions if version in self.specific]
        return versions[-self.latest :]


@dataclass(frozen=True)
class GraphSignature:
    """What a graph offers that says nothing of it itself: the only signature of a GraphDef or a checkpoint.

    Args:
        inputs, outputs: names of tensors, by the names that requests have for them.
    """

    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class ModelConfig:
    """A model that is served.

    Args:
        name: what it is called in requests.
        base_path: the folder with a folder for each version, named by its number.
        policy: which versions are served.
        labels: names of versions.
        graph: where `base_path` is a GraphDef or a checkpoint instead of such a folder, what is served of it.
    """

    name: str
    base_path: str
    policy: VersionPolicy = VersionPolicy()
    labels: Mapping[str, int] = field(default_factory=dict)
    graph: GraphSignature | None = None

    def versions(self) -> dict[int, str]:
        """The versions that are there: number to path. None if there is nothing."""
        return versions_in(self.base_path) if self.graph is None else graph_versions(self.base_path)


def versions_in(base_path: str) -> dict[int, str]:
    """The versions in a folder: number to path. None if there is no folder."""
    if not file_io.is_directory(base_path):
        return {}
    found: dict[int, str] = {}
    for name in sorted(file_io.list_directory(base_path)):
        name = name.rstrip("/")
        path = os.path.join(base_path, name)
        # Of "1" and "001" the first counts; both would be the same version.
        if re.fullmatch(r"[0-9]+", name) and file_io.is_directory(path):
            found.setdefault(int(name), path)
    return found


def graph_versions(path: str) -> dict[int, str]:
    """The version of a GraphDef, which is 1, or of a checkpoint: its step. Of a folder, that of its newest checkpoint."""
    if file_io.is_directory(path):
        newest = latest_checkpoint(path)
        if newest is None:
            return {}
        path = newest
    elif file_io.file_exists(path) and not path.endswith(_CHECKPOINT_FILES):
        return {1: path}
    for ending in _CHECKPOINT_FILES:
        path = path.removesuffix(ending)
    if not checkpoint_exists(path):
        return {}
    step = re.search(r"-(\d+)$", path)
    return {int(step[1]) if step else 1: path}


def parse_text(text: str, message: Any, where: str) -> Any:
    """A message from its text form; InvalidArgumentError if the text is none."""
    try:
        return text_format.Parse(text, message, descriptor_pool=messages.POOL)
    except text_format.ParseError as error:
        raise errors.InvalidArgumentError(None, None, f"Invalid protobuf file: '{where}': {error}") from None


def read_text(path: str, message: Any) -> Any:
    """A message from a file in text form.

    Raises:
        OSError: if it cannot be read; InvalidArgumentError: if it holds something else.
    """
    with open(path, encoding="utf-8") as file:
        return parse_text(file.read(), message, path)


def model_configs(message: Any) -> list[ModelConfig]:
    """The models that a `ModelServerConfig` lists.

    Raises:
        InvalidArgumentError: if a name or path is missing or a name comes twice.
        UnimplementedError: for what is asked beyond models and versions.
    """
    if message.WhichOneof("config") == "custom_model_config":
        raise errors.UnimplementedError(None, None, "custom_model_config: list the models in a model_config_list.")
    found: dict[str, ModelConfig] = {}
    for one in message.model_config_list.config:
        if one.name in found:
            raise _invalid(f"Illegal to list model {one.name} multiple times in config list")
        if not one.name or not one.base_path:
            raise _invalid(f"A model in the config list needs a name and a base_path, got: {one}")
        if not (os.path.isabs(one.base_path) or _URL.match(one.base_path)):
            raise _invalid(
                f"Expected model {one.name} to have an absolute path or URI; got base_path()={one.base_path}"
            )
        if one.model_platform not in ("", "tensorflow") or one.model_type not in (0, 1):
            raise _invalid(f"Model {one.name} requests unsupported platform {one.model_platform or one.model_type}")
        if one.HasField("logging_config"):
            raise errors.UnimplementedError(
                None, None, f"Model {one.name}: requests are not logged to files; leave logging_config out."
            )
        found[one.name] = ModelConfig(
            one.name, one.base_path, _policy(one.model_version_policy), dict(one.version_labels)
        )
    return list(found.values())


def _policy(message: Any) -> VersionPolicy:
    kind = message.WhichOneof("policy_choice")
    if kind == "all":
        return VersionPolicy(every=True)
    if kind == "specific":
        if not message.specific.versions:
            raise _invalid("A specific version policy names no versions.")
        return VersionPolicy(specific=frozenset(message.specific.versions))
    return VersionPolicy(latest=max(message.latest.num_versions, 1))


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)

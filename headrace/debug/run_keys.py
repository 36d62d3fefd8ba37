"""What tells one kind of run from another: the names of what it is fed and what it fetches."""

from __future__ import annotations

import collections
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.debug.values import get_flattened_names

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Fetches


GRPC_URL_PREFIX = "grpc://"

RunKey = collections.namedtuple("RunKey", ["feed_names", "fetch_names"])


def get_run_key(feed_dict: Sequence[Any] | Mapping[Tensor, int], fetches: Fetches) -> str:
    """The key of a run, as JSON.

    Args:
        feed_dict: what it is fed, or the list of it.
        fetches: what it fetches.
    """
    return json.dumps(RunKey(get_flattened_names(feed_dict), get_flattened_names(fetches)))

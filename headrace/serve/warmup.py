"""Requests that come with a model, run before it is offered: plans are made then, not in the first request of a client."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf.message import DecodeError

from headrace.core import errors
from headrace.files import file_io
from headrace.files.records import tf_record_iterator
from headrace.serve import messages, prediction
from headrace.serve.servable import Servable

REQUESTS_FILE = os.path.join("assets.extra", "tf_serving_warmup_requests")
MOST_RECORDS = 1000


def warm_up(servable: Servable, path: str, iterations: int = 1) -> int:
    """Replays the recorded requests of a model.

    Args:
        servable: the model.
        path: its folder; without a file of requests there, nothing happens.
        iterations: how often each request is run.

    Returns:
        how many there were.

    Raises:
        OpError: if a request fails; DataLossError: if the file holds something else.
        InvalidArgumentError: for more requests than are meant for warming up.
    """
    file = os.path.join(path, REQUESTS_FILE)
    if not file_io.file_exists(file):
        return 0
    number = 0
    for record in tf_record_iterator(file):
        number += 1
        if number > MOST_RECORDS:
            raise errors.InvalidArgumentError(
                None, None, f"Number of warmup records exceeds the maximum ({MOST_RECORDS}) at {file}"
            )
        try:
            log = messages.PredictionLog.FromString(record)
        except DecodeError as error:
            raise errors.DataLossError(None, None, f"{file}: record {number} is no PredictionLog: {error}") from None
        for _ in range(max(iterations, 1)):
            _replay(servable, log, file)
    return number


def _replay(servable: Servable, log: Any, file: str) -> None:
    kind = log.WhichOneof("log_type")
    if kind == "predict_log":
        prediction.predict(servable, log.predict_log.request)
    elif kind == "classify_log":
        prediction.classify(servable, log.classify_log.request)
    elif kind == "regress_log":
        prediction.regress(servable, log.regress_log.request)
    elif kind == "multi_inference_log":
        prediction.infer_all(servable, log.multi_inference_log.request)
    else:
        raise errors.UnimplementedError(None, None, f"Unsupported log_type for warmup in {file}: {kind}")

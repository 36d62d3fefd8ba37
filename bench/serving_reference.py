"""A minimal server of a SavedModel on Starlette and uvicorn: what `bench/serving.py` compares with.

    python bench/serving_reference.py FOLDER PORT

It runs under whatever TensorFlow its Python has, in a session, as the notes of TensorFlow 1 do.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import tensorflow as tf
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import Route

v1 = tf.compat.v1


def application(folder):
    graph = v1.Graph()
    with graph.as_default():
        session = v1.Session()
        signature = v1.saved_model.loader.load(session, ["serve"], folder).signature_def["serving_default"]
    (source,) = signature.inputs.values()
    (result,) = signature.outputs.values()
    run = session.make_callable(result.name, [source.name])

    def predict(body):
        return run(np.asarray(json.loads(body)["instances"], np.float32)).tolist()

    async def answer(request):
        return JSONResponse({"predictions": await run_in_threadpool(predict, await request.body())})

    return Starlette(routes=[Route("/v1/models/model:predict", answer, methods=["POST"])])


if __name__ == "__main__":
    uvicorn.run(application(sys.argv[1]), port=int(sys.argv[2]), log_level="warning", access_log=False)

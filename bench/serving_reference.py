"""Minimal servers of a SavedModel, on Starlette and uvicorn and on grpcio: what `bench/serving.py` compares with.

    python bench/serving_reference.py rest|grpc FOLDER PORT

They run under whatever TensorFlow their Python has, in a session, as the notes of TensorFlow 1 do. Serving over gRPC takes
the messages of the package tensorflow-serving-api.
"""

from __future__ import annotations

import base64
import json
import sys
from concurrent import futures

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def loaded(folder):
    """The only input and output of a model: the input's name and type, the output's name, and what runs them."""
    graph = v1.Graph()
    with graph.as_default():
        session = v1.Session()
        signature = v1.saved_model.loader.load(session, ["serve"], folder).signature_def["serving_default"]
    ((source, given),) = signature.inputs.items()
    ((result, taken),) = signature.outputs.items()
    return source, tf.as_dtype(given.dtype), result, session.make_callable(taken.name, [given.name])


def rest(folder, port):
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    _, dtype, _, run = loaded(folder)

    def predict(body):
        rows = json.loads(body)["instances"]
        if dtype == tf.string:
            rows = [base64.b64decode(row["b64"]) for row in rows]
        return run(np.asarray(rows, dtype.as_numpy_dtype)).tolist()

    async def answer(request):
        return JSONResponse({"predictions": await run_in_threadpool(predict, await request.body())})

    application = Starlette(routes=[Route("/v1/models/model:predict", answer, methods=["POST"])])
    uvicorn.run(application, port=port, log_level="warning", access_log=False)


def grpc(folder, port):
    import grpc
    from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

    source, _, result, run = loaded(folder)

    class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
        def Predict(self, request, context):
            response = predict_pb2.PredictResponse()
            response.outputs[result].CopyFrom(tf.make_tensor_proto(run(tf.make_ndarray(request.inputs[source]))))
            return response

    server = grpc.server(futures.ThreadPoolExecutor(16))
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Service(), server)
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    {"rest": rest, "grpc": grpc}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))

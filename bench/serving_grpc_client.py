"""Load over gRPC: calls Predict of a model from several connections at a time, and says in JSON what it saw.

    python bench/serving_grpc_client.py PORT CONNECTIONS SECONDS REQUEST

REQUEST is a file with a serialized PredictRequest. Messages are not taken apart here: the client is not what is measured.
"""

from __future__ import annotations

import asyncio
import base64
import json
import pathlib
import sys
import time

import grpc.aio


async def load(port, connections, seconds, request):
    latencies, answers, failures = [], set(), []
    until = time.perf_counter() + seconds

    async def one():
        # Each with a connection of its own: by default gRPC lets equal channels share one.
        async with grpc.aio.insecure_channel(
            f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)]
        ) as channel:
            call = channel.unary_unary("/tensorflow.serving.PredictionService/Predict")
            while time.perf_counter() < until:
                sent = time.perf_counter()
                try:
                    answers.add(await call(request))
                except grpc.aio.AioRpcError as error:
                    failures.append(str(error.code()))
                latencies.append(time.perf_counter() - sent)

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    spent = time.perf_counter() - began
    latencies.sort()
    return {
        "requests": len(latencies),
        "seconds": spent,
        "p50": latencies[len(latencies) // 2],
        "p99": latencies[int(len(latencies) * 0.99)],
        "failed": len(failures),
        "answers": [base64.b64encode(answer).decode() for answer in answers],
    }


if __name__ == "__main__":
    port, connections, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    print(json.dumps(asyncio.run(load(port, connections, seconds, pathlib.Path(sys.argv[4]).read_bytes()))))

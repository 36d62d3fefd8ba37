"""Records what TensorFlow 1.15.5 draws for given seeds, into tests/golden/random/streams.npz: run it there.

PATH_OF_TF1/bin/python tools/oracle/record_random_streams.py

Each case holds the results of three runs in one session, so that it also tells how far a run moves the stream.
Of long results one number in so many is kept, and a checksum of all of them.
"""

import itertools
import json
import os
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from recorded import fingerprint
from tensorflow.python.framework import random_seed

tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "..", "tests", "golden", "random", "streams.npz")
RUNS = 3
KEPT = 40
SHAPES = [[1], [3], [4], [5], [256], [1000], [7, 11], [0, 3], [], [100000]]
FLOATS = ["float16", "float32", "float64"]
INF = float("inf")
RATES = [0.0, 0.1, 1.0, 5.0, 9.99, 10.0, 11.0, 50.0, 1000.0, 1e4]
# mean, deviation, lower and upper bound: each of the three schemes, mirrored and not.
BOUNDS = [
    (0, 1, -2, 2),
    (0, 1, -0.5, 0.5),
    (1, 2, 3, 9),
    (0, 1, 5, INF),
    (0, 1, -INF, -4),
    (0, 1, 3, 3.1),
    (-1, 3, -1, -0.5),
]


def cases():
    for shape, dtype, op in itertools.product(
        SHAPES, FLOATS + ["bfloat16"], ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]
    ):
        yield {"op": op, "shape": shape, "dtype": dtype, "seed": 12345678901, "seed2": -77}
    for shape in SHAPES:
        yield {
            "op": "RandomUniformInt",
            "shape": shape,
            "minval": -5,
            "maxval": 1000,
            "dtype": "int32",
            "seed": 3,
            "seed2": 2**40 + 7,
        }
        yield {
            "op": "RandomUniformInt",
            "shape": shape,
            "minval": -5,
            "maxval": 10**12,
            "dtype": "int64",
            "seed": 3,
            "seed2": 0,
        }
    yield {
        "op": "RandomUniformInt",
        "shape": [64],
        "minval": -(2**31),
        "maxval": 2**31 - 1,
        "dtype": "int32",
        "seed": 0,
        "seed2": 1,
    }
    yield {
        "op": "RandomUniformInt",
        "shape": [64],
        "minval": -(2**63),
        "maxval": 2**63 - 1,
        "dtype": "int64",
        "seed": 0,
        "seed2": 1,
    }
    for n in [0, 1, 2, 3, 5, 6, 100, 10007]:
        yield {"op": "RandomShuffle", "n": n, "seed": 9, "seed2": 10}
    for batch, classes, samples in [
        (1, 3, 1),
        (1, 10, 7),
        (3, 4, 5),
        (5, 1, 2),
        (64, 10, 3),
        (2, 1000, 500),
        (0, 3, 2),
    ]:
        shape = {"batch": batch, "classes": classes, "num_samples": samples}
        yield dict(op="Multinomial", dtype="int64", seed=4, seed2=5, **shape)
        yield dict(op="StatelessMultinomial", dtype="int32", seed=[4, 5], **shape)
    for dtype, shape in itertools.product(FLOATS, [[], [1], [5], [3, 2], [2000]]):
        yield {
            "op": "RandomGamma",
            "shape": shape,
            "alpha": [0.1, 0.5, 1.0, 1.5, 2.0, 30.0],
            "dtype": dtype,
            "seed": 6,
            "seed2": 7,
        }
        yield {"op": "RandomPoissonV2", "shape": shape, "rate": RATES, "dtype": dtype, "seed": 8, "seed2": 0}
    for dtype in ["int32", "int64"]:
        yield {"op": "RandomPoissonV2", "shape": [500], "rate": RATES + [1e8], "dtype": dtype, "seed": 8, "seed2": 1}
    for dtype, shape, bounds in itertools.product(FLOATS, [[1], [3, 7], [250]], BOUNDS):
        yield truncated(shape, bounds, dtype)
    # Vectors, of length 1 too, which are treated otherwise than scalars.
    for ranks in ["1100", "0010", "0001"]:
        parameters = [[b] if rank == "1" else b for rank, b in zip(ranks, BOUNDS[1])]
        yield truncated([30, 7], parameters, "float32")
    for dtype in FLOATS:
        yield truncated([4, 30], [[0, 1, 2, 3], [1], [-2, 0, -INF, 3], [9, 1, 2, 4]], dtype)
    for shape, dtype in itertools.product(SHAPES, FLOATS):
        for op in ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"]:
            yield {"op": op, "shape": shape, "dtype": dtype, "seed": [5, -9]}
    for shape in SHAPES:
        uniform_int = {"op": "StatelessRandomUniformInt", "shape": shape, "seed": [2**40, 9], "minval": -3}
        yield dict(uniform_int, maxval=77, dtype="int32")
        yield dict(uniform_int, maxval=77 * 10**10, dtype="int64")


def truncated(shape, parameters, dtype):
    names = ["means", "stdevs", "minvals", "maxvals"]
    return dict(
        op="ParameterizedTruncatedNormal", shape=shape, dtype=dtype, seed=11, seed2=12, **dict(zip(names, parameters))
    )


def logits(batch, classes):
    """Numbers that need no recording: the test computes the same."""
    return np.sin(np.arange(batch * classes, dtype=np.float32)).reshape(batch, classes) * 3


def build(op, dtype="int64", **arguments):
    if op == "RandomShuffle":
        arguments["value"] = np.arange(arguments.pop("n"))
    elif "Multinomial" in op:
        arguments["logits"] = logits(arguments.pop("batch"), arguments.pop("classes"))
        arguments["output_dtype"] = dtype
    elif op == "RandomGamma":
        arguments["alpha"] = np.array(arguments["alpha"], dtype)
    elif op == "RandomUniformInt":
        arguments.update((name, np.array(arguments[name], dtype)) for name in ("minval", "maxval"))
    elif op == "ParameterizedTruncatedNormal":
        for name in ("means", "stdevs", "minvals", "maxvals"):
            arguments[name] = np.array(arguments[name], dtype)
    elif op == "StatelessRandomUniformInt":
        arguments.update((name, np.array(arguments[name], dtype)) for name in ("minval", "maxval"))
    else:
        arguments["dtype"] = dtype
    if "shape" in arguments:
        arguments["shape"] = np.array(arguments["shape"], np.int32)
    result = getattr(tf.raw_ops, op)(**arguments)
    return tf.bitcast(result, tf.uint16) if dtype == "bfloat16" else result


def seeds():
    """Graph seed, op seed, id of the op made last, and the two seeds of the op made next."""
    graph_seeds = [None, 0, 1, -1, 2**31 - 1, 2**31, 2**40, 87654321]
    for graph_seed, op_seed, made in itertools.product(graph_seeds, [None, 0, 5, -1, 2**31 - 1, 2**35], [0, 3]):
        with tf.Graph().as_default() as graph:
            for _ in range(made):
                tf.no_op()
            if graph_seed is not None:
                tf.compat.v1.set_random_seed(graph_seed)
            yield graph_seed, op_seed, graph._last_id, random_seed.get_seed(op_seed)


def main():
    described, arrays = [], {}
    # On more threads TensorFlow gives the rows of Multinomial other numbers than on one.
    options = {"intra_op_parallelism_threads": 1, "inter_op_parallelism_threads": 1}
    with tf.Graph().as_default(), tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(**options)) as session:
        tensors = [(case, build(**case)) for case in cases()]
        for i, (case, tensor) in enumerate(tensors):
            runs = [session.run(tensor) for _ in range(1 if case["op"].startswith("Stateless") else RUNS)]
            result = np.stack(runs)
            checksums = [zlib.crc32(run.tobytes()) for run in runs]
            described.append(dict(case, result_shape=runs[0].shape, checksums=checksums))
            arrays[str(i)] = result.reshape(len(runs), -1)[:, :: max(runs[0].size // KEPT, 1)]
    # One array of each type: an entry of an archive costs more than most cases hold.
    packed = {}
    for name in sorted({str(array.dtype) for array in arrays.values()}):
        parts = [arrays[str(i)].reshape(-1) for i in range(len(described)) if str(arrays[str(i)].dtype) == name]
        packed[name] = np.concatenate(parts)
    with open(__file__) as program:
        text = program.read()
    np.savez_compressed(
        GOLDEN,
        tensorflow=np.array(tf.__version__),
        program=np.array(fingerprint(text)),
        cases=np.array(json.dumps(described)),
        seeds=np.array(json.dumps(list(seeds()))),
        **packed,
    )


if __name__ == "__main__":
    main()

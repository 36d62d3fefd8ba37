"""What ops of TensorFlow 2 and of rewritten graphs answer. Under TensorFlow 2 this writes tests/golden/later_versions.json:

python tests/ops/later_versions.py
"""

import pathlib
import sys

import numpy as np

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "later_versions.json"
ALIGNS = ("LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT")


def calls(tf):
    """Names and the tensors that TensorFlow (or Headrace) computes for them."""
    r = tf.raw_ops
    key, counter = r.StatelessRandomGetKeyCounter(seed=[1, 2])
    yield "key", [key, counter]
    yield "key_alg", r.StatelessRandomGetKeyCounterAlg(seed=[1, 2])
    drawn = {"key": key, "counter": counter, "alg": 1}
    yield "uniform", r.StatelessRandomUniformV2(shape=[3], **drawn)
    yield "normal", r.StatelessRandomNormalV2(shape=[2, 2], **drawn)
    yield "truncated", r.StatelessTruncatedNormalV2(shape=[3], **drawn)
    yield "int", r.StatelessRandomUniformIntV2(shape=[4], minval=0, maxval=100, **drawn)
    yield "full", r.StatelessRandomUniformFullIntV2(shape=[3], dtype=tf.int32, **drawn)
    yield "full_v1", r.StatelessRandomUniformFullInt(shape=[3], seed=[1, 2], dtype=tf.int64)
    matrix = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    for align in ALIGNS:
        part = r.MatrixDiagPartV3(input=matrix, k=[-1, 2], padding_value=9.0, align=align)
        yield f"part_{align}", part
        yield (
            f"diag_{align}",
            r.MatrixDiagV3(diagonal=part, k=[-1, 2], num_rows=3, num_cols=4, padding_value=0.0, align=align),
        )
        yield (
            f"set_{align}",
            r.MatrixSetDiagV3(input=np.zeros((3, 4), np.float32), diagonal=part, k=[-1, 2], align=align),
        )
    splits = {"row_partition_types": ["ROW_SPLITS"]}
    numbers = np.float32([1, 2, 3])
    rows = [np.array([0, 2, 2, 3])]
    for name, shape, filling in (("plain", [-1, -1], 0.0), ("cut", [4, 1], 7.0), ("any", -1, 1.0)):
        yield (
            f"ragged_{name}",
            r.RaggedTensorToTensor(
                shape=shape, values=numbers, default_value=filling, row_partition_tensors=rows, **splits
            ),
        )
    yield (
        "ragged_ids",
        r.RaggedTensorToTensor(
            shape=[-1, -1, -1],
            values=np.float32([1, 2, 3, 4]),
            default_value=0.0,
            row_partition_tensors=[3, [0, 0, 2], [0, 0, 1, 2]],
            row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"],
        ),
    )
    yield (
        "ragged_inner",
        r.RaggedTensorToTensor(
            shape=-1,
            values=np.float32([[1, 2], [3, 4]]),
            default_value=np.float32([8, 9]),
            row_partition_tensors=[[0, 0, 2]],
            **splits,
        ),
    )
    yield (
        "ragged_text",
        r.RaggedTensorToTensor(
            shape=[-1, 3], values=["a", "bcd"], default_value="-", row_partition_tensors=[[0, 2, 2]], **splits
        ),
    )
    yield "product", r.BatchMatMulV3(x=np.array([[1, 2]], np.int8), y=np.array([[3], [4]], np.int8), Tout=tf.int32)
    scattered = {"tensor": np.float32([1, 5, 3]), "indices": [[0], [1], [0]], "updates": np.float32([4, 4, -2])}
    yield "scatter_max", r.TensorScatterMax(**scattered)
    yield "scatter_min", r.TensorScatterMin(**scattered)
    yield "xlog1py", r.Xlog1py(x=np.float32([0, 2]), y=np.float32([-1, 3]))
    for name in ("Erfinv", "Ndtri", "BesselI0", "BesselI1"):
        yield name, getattr(r, name)(x=np.float32([0.1, 0.7]))
    yield "dim_map", r.DataFormatDimMap(x=[0, 1, 2, 3, -1])
    for name, x, how in (
        ("four", [1, 2, 3, 4], {}),
        ("two", [7, 8], {}),
        ("pairs", [[1, 1], [2, 2], [3, 3], [4, 4]], {"src_format": "NCHW", "dst_format": "NHWC"}),
    ):
        yield f"permuted_{name}", r.DataFormatVecPermute(x=x, **how)
    yield "to_bool", [r.ToBool(input=x) for x in (0.0, 2.0, np.zeros(0, np.float32), [0.0], "", "x")]
    ones = np.ones((3, 2), np.float32)
    yield "update", r.InplaceUpdate(x=ones, i=[2, 0], v=ones[:2] * 5)
    yield "add", r.InplaceAdd(x=ones, i=[1], v=ones[:1])
    yield "sub", r.InplaceSub(x=ones, i=[1], v=ones[:1] * 3)
    images = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 10
    weights = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2) / 10
    for mode in ("REFLECT", "SYMMETRIC"):
        for padding in ("SAME", "VALID"):
            how = {"mode": mode, "strides": [1, 2, 1, 1], "padding": padding, "filter": weights}
            how["paddings"] = [[0, 0], [1, 1], [2, 0], [0, 0]]
            yield f"padded_{mode}_{padding}", r.FusedPadConv2D(input=images, **how)
            yield f"resized_{mode}_{padding}", r.FusedResizeAndPadConv2D(input=images, size=[6, 3], **how)


def plain(value):
    """A value as JSON holds it."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    array = np.asarray(value)
    return [item.decode() if isinstance(item, bytes) else item for item in array.reshape(-1).tolist()], list(
        array.shape
    )


if __name__ == "__main__":
    import tensorflow

    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "oracle"))
    import recorded

    answers = {name: plain(value) for name, value in calls(tensorflow)}
    program = pathlib.Path(__file__).read_text()
    GOLDEN.write_text(recorded.golden_dumps(answers, tensorflow.__version__, program))
    sys.stdout.write(f"{len(answers)} answers of TensorFlow {tensorflow.__version__}\n")

"""Which ranks of inputs operations refuse while the graph is built, given the inputs of one call that is fine."""

import tensorflow as tf

raw = tf.raw_ops
results = {}
NAMES = {"f": tf.float32, "d": tf.float64, "i": tf.int32, "l": tf.int64, "s": tf.string}
# Operation: for each input its type and a shape that is fine; and the other arguments.
CALLS = {
    "AddManySparseToTensorsMap": ({"sparse_indices": "l22", "sparse_values": "f2", "sparse_shape": "l2"}, {}),
    "AddSparseToTensorsMap": ({"sparse_indices": "l22", "sparse_values": "f2", "sparse_shape": "l2"}, {}),
    "AvgPoolGrad": (
        {"orig_input_shape": "i4", "grad": "f1221"},
        {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"},
    ),
    "BatchToSpace": ({"input": "f4221", "crops": "i22"}, {"block_size": 2}),
    "Betainc": ({"a": "f23", "b": "f23", "x": "f23"}, {}),
    "BiasAddGrad": ({"out_backprop": "f234"}, {"data_format": "NCHW"}),
    "ComputeAccidentalHits": ({"true_classes": "l21", "sampled_candidates": "l3"}, {"num_true": 1}),
    "ConjugateTranspose": ({"x": "f23", "perm": "i2"}, {}),
    "Conv2DBackpropFilter": (
        {"input": "f1441", "filter_sizes": "i4", "out_backprop": "f1441"},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    "Conv2DBackpropInput": (
        {"input_sizes": "i4", "filter": "f2211", "out_backprop": "f1441"},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    "CropAndResizeGradImage": (
        {"grads": "f1221", "boxes": "f14", "box_ind": "i1", "image_size": "i4"},
        {"T": tf.float32},
    ),
    "DecodePaddedRaw": ({"input_bytes": "s2", "fixed_length": "i"}, {"out_type": tf.uint8}),
    "DeleteSessionTensor": ({"handle": "s"}, {}),
    "DepthwiseConv2dNativeBackpropFilter": (
        {"input": "f1441", "filter_sizes": "i4", "out_backprop": "f1441"},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    "EmptyTensorList": ({"element_shape": "i2", "max_num_elements": "i"}, {"element_dtype": tf.float32}),
    "Fingerprint": ({"data": "f23", "method": "s"}, {}),
    "FixedLengthRecordDataset": (
        {"filenames": "s2", "header_bytes": "l", "record_bytes": "l", "footer_bytes": "l", "buffer_size": "l"},
        {},
    ),
    "FusedPadConv2D": (
        {"input": "f1441", "paddings": "i42", "filter": "f2211"},
        {"mode": "REFLECT", "strides": [1, 1, 1, 1], "padding": "VALID"},
    ),
    "FusedResizeAndPadConv2D": (
        {"input": "f1441", "size": "i2", "paddings": "i42", "filter": "f2211"},
        {"mode": "REFLECT", "strides": [1, 1, 1, 1], "padding": "VALID"},
    ),
    "GetSessionTensor": ({"handle": "s"}, {"dtype": tf.float32}),
    "GenerateVocabRemapping": (
        {"new_vocab_file": "s", "old_vocab_file": "s"},
        {"new_vocab_offset": 0, "num_new_vocab": 2},
    ),
    "LoadAndRemapMatrix": (
        {
            "ckpt_path": "s",
            "old_tensor_name": "s",
            "row_remapping": "l2",
            "col_remapping": "l2",
            "initializing_values": "f2",
        },
        {"num_rows": 2, "num_cols": 2},
    ),
    "MatchingFilesDataset": ({"patterns": "s2"}, {}),
    "MatrixDiagPartV2": ({"input": "f33", "k": "i", "padding_value": "f"}, {}),
    "MatrixDiagV2": ({"diagonal": "f3", "k": "i", "num_rows": "i", "num_cols": "i", "padding_value": "f"}, {}),
    "MatrixSetDiagV2": ({"input": "f33", "diagonal": "f3", "k": "i"}, {}),
    "MatrixSolveLs": ({"matrix": "f32", "rhs": "f31", "l2_regularizer": "d"}, {}),
    "MaxPoolGradGradV2": (
        {"orig_input": "f1441", "orig_output": "f1221", "grad": "f1441", "ksize": "i4", "strides": "i4"},
        {"padding": "VALID"},
    ),
    "MaxPoolV2": ({"input": "f1441", "ksize": "i4", "strides": "i4"}, {"padding": "VALID"}),
    "MutableDenseHashTableV2": ({"empty_key": "l", "deleted_key": "l"}, {"value_dtype": tf.float32}),
    "NonDeterministicInts": ({"shape": "i2"}, {}),
    "ParameterizedTruncatedNormal": (
        {"shape": "i2", "means": "f", "stdevs": "f", "minvals": "f", "maxvals": "f"},
        {},
    ),
    "PrintV2": ({"input": "s"}, {}),
    "ReduceJoin": ({"inputs": "s23", "reduction_indices": "i1"}, {}),
    "SerializeManySparse": ({"sparse_indices": "l22", "sparse_values": "f2", "sparse_shape": "l2"}, {}),
    "SerializeSparse": ({"sparse_indices": "l22", "sparse_values": "f2", "sparse_shape": "l2"}, {}),
    "SpaceToBatch": ({"input": "f1441", "paddings": "i22"}, {"block_size": 2}),
    "SparseSoftmax": ({"sp_indices": "l22", "sp_values": "f2", "sp_shape": "l2"}, {}),
    "SparseSparseMaximum": (
        {
            "a_indices": "l22",
            "a_values": "f2",
            "a_shape": "l2",
            "b_indices": "l22",
            "b_values": "f2",
            "b_shape": "l2",
        },
        {},
    ),
    "SqlDataset": (
        {"driver_name": "s", "data_source_name": "s", "query": "s"},
        {"output_types": [tf.float32], "output_shapes": [[]]},
    ),
    "StridedSliceGrad": ({"shape": "i2", "begin": "i2", "end": "i2", "strides": "i2", "dy": "f23"}, {}),
    "TFRecordDataset": ({"filenames": "s2", "compression_type": "s", "buffer_size": "l"}, {}),
    "TakeManySparseFromTensorsMap": ({"sparse_handles": "l2"}, {"dtype": tf.float32}),
    "TensorListFromTensor": ({"tensor": "f23", "element_shape": "i1"}, {}),
    "TextLineDataset": ({"filenames": "s2", "compression_type": "s", "buffer_size": "l"}, {}),
    "Transpose": ({"x": "f23", "perm": "i2"}, {}),
    "UnsortedSegmentJoin": ({"inputs": "s3", "segment_ids": "i3", "num_segments": "i"}, {}),
}
OTHERS = [[], [1], [2], [3, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5]]


def outcome(operation, inputs, others, changed=None, shape=None):
    arguments = dict(others)
    with tf.Graph().as_default():
        for name, text in inputs.items():
            dims = shape if name == changed else [int(size) for size in text[1:]]
            arguments[name] = tf.placeholder(NAMES[text[0]], dims)
        try:
            getattr(raw, operation)(**arguments)
            return "fine"
        except Exception as error:
            return type(error).__name__


for operation in sorted(CALLS):
    inputs, others = CALLS[operation]
    told = {"as it is": outcome(operation, inputs, others)}
    for name in sorted(inputs):
        told[name] = [outcome(operation, inputs, others, name, shape) for shape in OTHERS]
    results[operation] = told

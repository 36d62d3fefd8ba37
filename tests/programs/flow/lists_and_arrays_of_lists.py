"""What graphs say of lists of tensors before they run, and ops on arrays of lists."""

import numpy as np
import tensorflow as tf

ops = tf.raw_ops
results = {}
pair = np.array([2], np.int32)


def rows():
    return ops.TensorListFromTensor(tensor=tf.zeros([3, 2]), element_shape=pair)


def two():
    empty = ops.EmptyTensorList(element_shape=tf.zeros([0], tf.int32), max_num_elements=-1, element_dtype=tf.float32)
    return tf.stack([empty, ops.TensorListPushBack(input_handle=empty, tensor=4.0)])


def stacked(handle, dtype=tf.float32):
    return ops.TensorListStack(input_handle=handle, element_shape=-1, element_dtype=dtype)


def joined(one, other, dtype=tf.float32):
    return ops.TensorListConcatLists(input_a=one, input_b=other, element_dtype=dtype)


def batch(tensor):
    return ops.TensorListPushBackBatch(input_handles=two(), tensor=tensor)


cases = {
    "pop of another type": lambda: (
        ops.TensorListPopBack(input_handle=rows(), element_shape=-1, element_dtype=tf.int32).tensor
    ),
    "push of another type": lambda: stacked(ops.TensorListPushBack(input_handle=rows(), tensor=[1, 2])),
    "push of another shape": lambda: stacked(ops.TensorListPushBack(input_handle=rows(), tensor=[1.0])),
    "stack of another type": lambda: stacked(rows(), tf.int32),
    "get of another type": lambda: ops.TensorListGetItem(
        input_handle=rows(), index=0, element_shape=-1, element_dtype=tf.int32
    ),
    "gather of another type": lambda: ops.TensorListGather(
        input_handle=rows(), indices=[0], element_shape=-1, element_dtype=tf.int32
    ),
    "concat of another type": lambda: (
        ops.TensorListConcatV2(
            input_handle=rows(), element_shape=-1, leading_dims=np.zeros([0], np.int64), element_dtype=tf.int32
        ).tensor
    ),
    "set of another shape": lambda: stacked(ops.TensorListSetItem(input_handle=rows(), index=0, item=[1.0, 2.0, 3.0])),
    "set of another type": lambda: stacked(ops.TensorListSetItem(input_handle=rows(), index=0, item=[1, 2])),
    "scatter of another type": lambda: stacked(
        ops.TensorListScatterIntoExistingList(input_handle=rows(), tensor=[[1, 2]], indices=[1])
    ),
    "sum": lambda: stacked(tf.add_n([rows(), rows()])),
    "zeros": lambda: stacked(tf.zeros_like(rows())),
    "zeros of an array": lambda: stacked(tf.zeros_like(two())[1]),
    "one of an array": lambda: stacked(two()[1]),
    "pushed to each": lambda: (stacked(batch([1.0, 2.0])[1]), stacked(batch([1.0, 2.0])[0])),
    "too few for each": lambda: stacked(batch([1.0])[1]),
    "a scalar for each": lambda: stacked(batch(1.0)[1]),
    "another type for each": lambda: stacked(batch([1, 2])[1]),
    "another shape for each": lambda: stacked(batch([[1.0], [2.0]])[1]),
    "joined arrays": lambda: stacked(joined(two(), two())[1]),
    "joined lists": lambda: stacked(joined(two()[1], two()[1])),
    "an array and a list": lambda: stacked(joined(two(), two()[0])),
    "joined as another type": lambda: stacked(joined(two(), two(), tf.int32)[1]),
    "joined with other shapes": lambda: stacked(
        joined(rows(), ops.TensorListFromTensor(tensor=tf.zeros([1, 1]), element_shape=[1]))
    ),
    "joined with unknown shapes": lambda: stacked(
        joined(rows(), ops.TensorListFromTensor(tensor=tf.zeros([1, 2]), element_shape=[-1]))
    ),
}
for name, case in cases.items():
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = case()
        except Exception as error:
            results[name] = "made: " + type(error).__name__
            continue
        shapes = [str(tensor.shape) for tensor in (made if isinstance(made, tuple) else [made])]
        try:
            results[name] = [shapes, sess.run(made)]
        except tf.errors.OpError as error:
            results[name] = [shapes, type(error).__name__]

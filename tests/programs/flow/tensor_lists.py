"""TensorLists, the lists of tensors that functional loops carry: made, read, changed, and their gradients."""

import numpy as np
import tensorflow as tf

r = tf.raw_ops
results = {}
x = tf.placeholder(tf.float32, [3, 2], name="x")
batch = np.arange(6, dtype=np.float32).reshape(3, 2) + 1
sess = tf.Session()


def run(value):
    return sess.run(value, {x: batch})


def stack(handle, shape=(2,), **options):
    return r.TensorListStack(input_handle=handle, element_shape=list(shape), element_dtype=tf.float32, **options)


made = r.TensorListFromTensor(tensor=x, element_shape=[2])
results["stacked"] = run(stack(made, num_elements=3))
pushed = r.TensorListPushBack(input_handle=made, tensor=x[0] * 10)
set_twice = r.TensorListSetItem(
    input_handle=r.TensorListSetItem(input_handle=made, index=1, item=x[2]), index=0, item=-x[0]
)
results["versions"] = run([stack(made), stack(pushed), stack(set_twice)])
popped, last = r.TensorListPopBack(input_handle=pushed, element_shape=[2], element_dtype=tf.float32)
results["popped"] = run([last, stack(popped), r.TensorListLength(input_handle=popped)])
again = r.TensorListPushBack(input_handle=popped, tensor=x[1])
results["pushed_again"] = run([stack(again), stack(pushed), stack(set_twice)])
reserved = r.TensorListReserve(element_shape=[2], num_elements=4, element_dtype=tf.float32)
filled = r.TensorListSetItem(input_handle=reserved, index=2, item=x[1])
results["reserved"] = run([stack(reserved), stack(filled)])
item = r.TensorListGetItem(input_handle=filled, index=2, element_shape=[2], element_dtype=tf.float32)
results["item"] = run(item)
results["shapes"] = [
    run(r.TensorListElementShape(input_handle=made, shape_type=tf.int32)),
    run(
        r.TensorListElementShape(
            input_handle=r.EmptyTensorList(element_shape=-1, max_num_elements=2, element_dtype=tf.int32),
            shape_type=tf.int64,
        )
    ),
]
results["static"] = [str(stack(made).shape), str(item.shape)]
results["resized"] = run(
    [stack(r.TensorListResize(input_handle=made, size=2)), stack(r.TensorListResize(input_handle=made, size=4))]
)
gathered = r.TensorListGather(input_handle=made, indices=[2, 0, 2], element_shape=[2], element_dtype=tf.float32)
scattered = r.TensorListScatter(tensor=x, indices=[4, 0, 1], element_shape=[2])
scattered_2 = r.TensorListScatterV2(tensor=x, indices=[1, 0, 2], element_shape=[2], num_elements=4)
into = r.TensorListScatterIntoExistingList(input_handle=made, tensor=x[:2], indices=[3, 1])
results["places"] = run([gathered, stack(scattered), stack(scattered_2), stack(into)])
split = r.TensorListSplit(tensor=x, element_shape=[-1, 2], lengths=np.array([2, 0, 1], np.int64))
joined = r.TensorListConcatV2(
    input_handle=split, element_shape=[-1, 2], leading_dims=np.zeros([0], np.int64), element_dtype=tf.float32
)
results["joined"] = run(list(joined))
results["first_joined"] = run(list(r.TensorListConcat(input_handle=split, element_dtype=tf.float32)))
both = r.TensorListConcatLists(input_a=made, input_b=pushed, element_dtype=tf.float32)
results["lists_joined"] = run(stack(both))
words = r.TensorListFromTensor(tensor=tf.constant([[b"a", b"b"], [b"c", b""]]), element_shape=[2])
results["words"] = run(r.TensorListStack(input_handle=words, element_shape=[2], element_dtype=tf.string))

weights = tf.constant(np.arange(1, 9, dtype=np.float32).reshape(4, 2))
gradients = {
    "stack": tf.reduce_sum(stack(made) * weights[:3]),
    "push": tf.reduce_sum(stack(pushed) * weights),
    "pop": tf.reduce_sum(last * 3) + tf.reduce_sum(stack(popped) * weights[:3]),
    "set": tf.reduce_sum(stack(set_twice) * weights[:3]),
    "get": tf.reduce_sum(item * weights[0]) + tf.reduce_sum(stack(filled) * weights),
    "gather": tf.reduce_sum(gathered * weights[:3]),
    "scatter_v2": tf.reduce_sum(stack(scattered_2) * weights),
    "resize": tf.reduce_sum(stack(r.TensorListResize(input_handle=made, size=2)) * weights[:2]),
}
results["gradients"] = {name: run(tf.gradients(y, x)[0]) for name, y in gradients.items()}


def refused(function):
    try:
        run(function())
    except (tf.errors.OpError, ValueError) as error:
        return type(error).__name__
    return "fine"


small = r.EmptyTensorList(element_shape=[2], max_num_elements=1, element_dtype=tf.float32)
results["refused"] = [
    refused(lambda: r.TensorListPopBack(input_handle=small, element_shape=[2], element_dtype=tf.float32)[1]),
    refused(
        lambda: r.TensorListLength(
            input_handle=r.TensorListPushBack(
                input_handle=r.TensorListPushBack(input_handle=small, tensor=x[0]), tensor=x[0]
            )
        )
    ),
    refused(lambda: r.TensorListLength(input_handle=r.TensorListPushBack(input_handle=small, tensor=[1.0, 2.0, 3.0]))),
    refused(lambda: r.TensorListGetItem(input_handle=made, index=3, element_shape=[2], element_dtype=tf.float32)),
    refused(lambda: stack(made, num_elements=5)),
    refused(lambda: stack(r.TensorListReserve(element_shape=-1, num_elements=2, element_dtype=tf.float32), (-1,))),
]

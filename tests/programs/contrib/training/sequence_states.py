"""Sequences in segments whose states go from one segment to the next."""

import numpy as np
import tensorflow as tf

results = {}
training = tf.contrib.training

with tf.Graph().as_default(), tf.Session() as sess:
    length, key = tf.placeholder(tf.int32, []), tf.placeholder(tf.string, [])
    frames, label = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.string, [3])
    saver = training.SequenceQueueingStateSaver(
        batch_size=2,
        num_unroll=2,
        input_length=length,
        input_key=key,
        input_sequences={"frames": frames, "again": frames * 10.0},
        input_context={"label": label},
        initial_states={"sum": tf.zeros([2]), "count": tf.constant(0)},
        capacity=4,
        name="saver",
    )
    batch = saver.next_batch
    new_sum = batch.state("sum") + tf.reduce_sum(batch.sequences["frames"], 1)
    save = tf.group(batch.save_state("sum", new_sum), batch.save_state("count", batch.state("count") + batch.length))
    results["names"] = [saver.name, saver.barrier.name, saver.prefetch_op.name, batch.length.name]
    results["shapes"] = [
        str(tensor.shape)
        for tensor in (batch.length, batch.key, batch.sequences["frames"], batch.context["label"], batch.state("sum"))
    ]
    results["kinds"] = [sorted(batch.sequences), sorted(batch.context), saver.batch_size, saver.num_unroll]
    sizes = [saver.barrier.ready_size(), saver.barrier.incomplete_size()]

    def put(name, steps, real):
        values = np.arange(steps * 2.0).reshape(steps, 2) + len(name)
        sess.run(saver.prefetch_op, {length: real, key: name, frames: values, label: [name, "x", "y"]})

    def step():
        fetches = {
            "length": batch.length,
            "total": batch.total_length,
            "size": batch.batch_size,
            "key": batch.key,
            "next": batch.next_key,
            "sequence": batch.sequence,
            "count": batch.sequence_count,
            "frames": batch.sequences["frames"],
            "again": batch.sequences["again"],
            "label": batch.context["label"],
            "sum": batch.state("sum"),
            "seen": batch.state("count"),
            "index": batch.insertion_index,
            "save": save,
        }
        got = sess.run(fetches)
        del got["save"]
        # Segments of one step come in any order.
        order = np.argsort(got["key"])
        return {name: value[order] if np.ndim(value) else value for name, value in got.items()}

    put("a", 4, 3)
    put("bb", 6, 6)
    results["filled"] = sess.run(sizes)
    results["steps"] = [step(), step()]
    results["left"] = sess.run(sizes)
    put("ccc", 2, 1)
    results["last"] = step()
    results["empty"] = sess.run(sizes)
    sess.run(saver.close())
    try:
        put("d", 2, 2)
    except tf.errors.OpError as error:
        results["closed"] = type(error).__name__
    try:
        step()
    except tf.errors.OpError as error:
        results["ended"] = type(error).__name__
    try:
        batch.save_state("other", new_sum)
    except KeyError as error:
        results["no state"] = type(error).__name__


def made(name, run=False, **changes):
    with tf.Graph().as_default(), tf.Session() as sess:
        arguments = {
            "batch_size": 1,
            "num_unroll": 2,
            "input_length": tf.constant(3),
            "input_key": tf.constant("k"),
            "input_sequences": {"s": tf.zeros([4, 1])},
            "input_context": {},
            "initial_states": {"state": tf.zeros([1])},
        }
        arguments.update({key: value() if callable(value) else value for key, value in changes.items()})
        try:
            saver = training.SequenceQueueingStateSaver(**arguments)
            if run:
                sess.run(saver.prefetch_op)
            results["made " + name] = None
        except (TypeError, ValueError, tf.errors.OpError) as error:
            results["made " + name] = type(error).__name__


made("well", run=True)
made("capacity", capacity=0)
made("no states", initial_states={})
made("states list", initial_states=[])
made("colon", initial_states={"a:b": 1.0})
made("number key", input_sequences={1: 1.0})
made("no sequences", input_sequences={})
made("long length", input_length=lambda: tf.constant(3, tf.int64))
made("float key", input_key=1.0)
made("unknown shape", input_context=lambda: {"c": tf.placeholder(tf.float32)})
made("uneven", run=True, input_sequences=lambda: {"s": tf.zeros([5, 1])})
made("too long", run=True, input_length=5)
made("two lengths", run=True, input_sequences=lambda: {"s": tf.zeros([4, 1]), "t": tf.identity(tf.zeros([6, 1]))})


def batches(name):
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        count = number + 3
        rows = tf.cast(tf.range(count), tf.float32)
        sequences = {"rows": tf.expand_dims(rows, 1), "text": tf.as_string(tf.range(count))}
        context = {"number": number}
        if name == "sparse":
            place = tf.cast(tf.stack([tf.stack([number, 0]), tf.stack([number + 1, 1])]), tf.int64)
            shape = tf.cast(tf.stack([count, 2]), tf.int64)
            sequences["sparse"] = tf.SparseTensor(place, tf.stack([number, number * 10]), shape)
            at = tf.cast(tf.reshape(number, [1, 1]), tf.int64)
            context["sparse"] = tf.SparseTensor(at, tf.stack([tf.as_string(number)]), [5])
        batch = training.batch_sequences_with_states(
            input_key=tf.string_join(["key", tf.as_string(number)]),
            input_sequences=sequences,
            input_context=context,
            input_length=None,
            initial_states={"total": tf.zeros([1])},
            num_unroll=2,
            batch_size=2,
            num_threads=1,
        )
        save = batch.save_state("total", batch.state("total") + tf.reduce_sum(batch.sequences["rows"], 1))
        results[name + " runners"] = sorted(r.name for r in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
        fetches = dict(batch.sequences)
        fetches.update(
            {"context " + key: value for key, value in batch.context.items()},
            length=batch.length,
            key=batch.key,
            total=batch.state("total"),
            save=save,
        )
        by_key = {}
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            # All of them: ten segments.
            for _ in range(5):
                got = sess.run(fetches)
                for i, key in enumerate(got["key"]):
                    by_key[key.decode()] = row = {}
                    for part in ("rows", "text", "context number", "length", "total"):
                        row[part] = got[part][i].tolist()
                    for part in ("sparse", "context sparse"):
                        if part in got:
                            mine = got[part].indices[:, 0] == i
                            row[part] = [
                                got[part].indices[mine, 1:].tolist(),
                                got[part].values[mine].tolist(),
                                got[part].dense_shape[1:].tolist(),
                            ]
            coord.request_stop()
            coord.join(threads)
        results[name] = by_key


batches("dense")
batches("sparse")

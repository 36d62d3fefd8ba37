"""Rows of a report with equal numbers stand where TensorFlow 1.15.5 leaves them."""

import random

import headrace as tf
from headrace.profiler.partitioning import partitioned_sort


def names_of(row):
    return [child.name for child in row.children]


def profiled(count, **options):
    with tf.Graph().as_default() as graph:
        for i in range(count):
            tf.get_variable(f"v{i:02d}", [3 if i % 5 else 4])
        builder = tf.profiler.ProfileOptionBuilder
        chosen = builder(builder.trainable_variables_parameter()).order_by("params").with_empty_output().build()
        return tf.profiler.profile(graph, options={**chosen, **options})


def test_few_equal_rows_stay_in_the_order_of_their_names():
    assert names_of(profiled(7)) == ["v00", "v05", "v01", "v02", "v03", "v04", "v06"]


def test_many_equal_rows_are_exchanged():
    # What 1.15.5 reports for twenty variables.
    wanted = [0, 5, 15, 10, 19, 18, 17, 16, 14, 13, 12, 11, 9, 8, 7, 6, 4, 3, 2, 1]
    assert names_of(profiled(20)) == [f"v{number:02d}" for number in wanted]


def test_the_root_counts_what_a_report_does_not_start_with():
    row = profiled(7, start_name_regexes=["v0[12]"], account_displayed_op_only=False)
    assert names_of(row) == ["v01", "v02"]
    assert row.total_parameters == 7 * 3 + 2
    assert profiled(7, start_name_regexes=["v0[12]"]).total_parameters == 6


def test_all_lengths_are_sorted():
    draw = random.Random(0)
    for length in (0, 1, 2, 16, 17, 40, 300):
        items = [draw.randrange(9) for _ in range(length)]
        assert partitioned_sort(items, float) == sorted(items)
        assert partitioned_sort(sorted(items), float) == sorted(items)

"""Cases as programs: what a declaration says is what both sides run."""

from __future__ import annotations

import numpy as np
import pytest
from case_programs import CaseProgram
from cases import Applied, run_eagerly

import headrace as tf
from headrace.core.cases import body, case_of, made, resource, result, variable
from headrace.core.registry import find, raw


def program(op_type, *args, wide=False, **words):
    return CaseProgram(find(op_type), case_of(args, words), wide)


def kinds(made_program):
    return [node.get("op", "value") for node in made_program.plain["nodes"]]


def test_a_shape_for_a_reference_makes_a_variable_that_is_looked_at_afterwards():
    plain = program("AssignAdd", [2], [2]).plain
    nodes = plain["nodes"]
    assert [nodes[i]["op"] for i in plain["before"]] == ["Assign"]
    assert [nodes[i]["op"] for i in plain["after"]] == ["Identity"]


def test_a_shape_for_a_handle_makes_a_resource_variable():
    plain = program("AssignAddVariableOp", [2], [2]).plain
    assert [plain["nodes"][i]["op"] for i in plain["before"]] == ["AssignVariableOp"]
    assert [plain["nodes"][i]["op"] for i in plain["after"]] == ["ReadVariableOp"]


@pytest.mark.parametrize("make", [variable, resource])
def test_what_stands_twice_is_one_operation(make):
    shared = make([2])
    op_type = "VarHandleOp" if make is resource else "VariableV2"
    users = [
        made(
            "ReadVariableOp" if make is resource else "Identity",
            shared,
            **({"dtype": "float32"} if make is resource else {}),
        )
    ] * 2
    assert kinds(program("NoOp", before=users)).count(op_type) == 1


def test_the_hash_tells_values_steps_and_attributes_apart():
    hashes = [
        program("Add", np.float32(1), [2]).hash,
        program("Add", np.float32(2), [2]).hash,
        program("Add", [2], [2]).hash,
        program("Add", [2], [2], after=[made("Neg", result)]).hash,
        program("Sum", [2], np.int32(0)).hash,
        program("Sum", [2], np.int32(0), keep_dims=True).hash,
    ]
    assert len(set(hashes)) == len(hashes)
    assert program("Add", [2], [2]).hash == program("Add", [2], [2]).hash


def test_wide_programs_have_doubles_where_floats_were():
    array = made("TensorArrayV3", np.int32(3), dtype="float32")
    write = made("TensorArrayWriteV3", array, np.int32(1), [2], array[1])
    nodes = program("TensorArrayReadV3", array, np.int32(1), write, dtype="float32", wide=True).plain["nodes"]
    assert "float32" not in repr(nodes)


def test_datasets_show_their_elements():
    numbers = made("RangeDataset", np.int64(0), np.int64(2), np.int64(1), output_types=["int64"], output_shapes=[[]])
    kind = {"output_types": ["int64"], "output_shapes": [[]]}
    case = case_of((numbers, []), {"f": body(lambda x: raw.Neg(x), "int64"), **kind})
    with tf.Graph().as_default():
        applied = Applied(find("MapDataset"), case)
        make_iterator, *steps = applied.program.plain["after"]
        with applied.session() as session:
            applied.run_step(session, make_iterator)
            assert [applied.run_step(session, i) for i in steps[:2]] == [[0], [-1]]
            with pytest.raises(tf.errors.OutOfRangeError):
                applied.run_step(session, steps[2])


def test_steps_run_in_their_order_in_sessions_and_eagerly():
    handle = resource(np.float32(1))
    read = made("ReadVariableOp", handle, dtype="float32")
    case = case_of(
        (handle, np.float32(2)),
        {"before": [made("AssignAddVariableOp", handle, np.float32(10))], "after": [read]},
    )
    decl = find("AssignSubVariableOp")
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        plain = applied.program.plain
        with applied.session() as session:
            applied.run_step(session, plain["op"])
            assert applied.run_step(session, plain["after"][-1]) == [9.0]
    assert run_eagerly(decl, case).tensors[plain["after"][-1]][0].numpy() == 9.0


def test_files_lie_in_the_current_directory():
    case = case_of((b"in.txt",), {"files": {"in.txt": b"abc"}})
    with tf.Graph().as_default():
        applied = Applied(find("ReadFile"), case)
        assert applied.run(applied.targets) == [b"abc"]


def test_a_wrong_number_of_inputs_is_said():
    with pytest.raises(TypeError, match="Add has 2 inputs; the case gives 1"):
        program("Add", [2])

"""Names of recurrent networks' variables in checkpoints of earlier releases, and checkpoints written anew with today's.

Variables were called `weights` and `biases` before 1.2, and before 0.12 scopes were called as the classes are
(`RNN/MultiRNNCell/Cell0/BasicLSTMCell/Linear/Matrix`).
"""

from __future__ import annotations

import argparse
import collections
import re
import sys
from typing import Any

from headrace.checkpoints.saver import Saver
from headrace.core.graph import Graph
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.layers.context import to_snake_case
from headrace.messages.protos import saver_pb2
from headrace.runtime.session import Session
from headrace.state.collecting import global_variables_initializer
from headrace.state.variables import Variable
from headrace.util import tf_logging

# The scopes in which `weights` became `kernel` and `biases` became `bias`.
_SCOPES = [
    "basic_rnn_cell",
    "gru_cell",
    "gru_cell/gates",
    "gru_cell/candidate",
    "basic_lstm_cell",
    "lstm_cell",
    "lstm_cell/projection",
    "output_projection_wrapper",
    "input_projection_wrapper",
    "lstm_block_wrapper",
    "layer_norm_basic_lstm_cell",
    "ugrnn_cell",
    "intersection_rnn_cell",
    "intersection_rnn_cell/in_projection",
    "phased_lstm_cell/mask_gates",
    "phased_lstm_cell/new_input",
    "phased_lstm_cell/output_gate",
    "attention_cell_wrapper",
    "attention_cell_wrapper/attn_output_projection",
    "attention_cell_wrapper/attention",
    "attention_decoder",
    "attention_decoder/Attention_0",
    "attention_decoder/AttnOutputProjection",
]


def _replacements() -> collections.OrderedDict[str, str]:
    kinds = (("weights", "kernel"), ("biases", "bias"))
    pairs = [(f"{scope}/{old}", f"{scope}/{new}") for scope in _SCOPES for old, new in kinds]
    pairs += [("nas_rnn/weights", "nas_rnn/kernel"), ("nas_rnn/recurrent_weights", "nas_rnn/recurrent_kernel")]
    for scope in ("attention_decoder/Attention_0", "attention_decoder/AttnOutputProjection", "attention_decoder"):
        pairs += [(f"{scope}/Linear/Bias", f"{scope}/bias"), (f"{scope}/Linear/Matrix", f"{scope}/kernel")]
    pairs += [
        ("attention_decoder/LSTMCell/B", "attention_decoder/lstm_cell/bias"),
        ("attention_decoder/LSTMCell/W_0", "attention_decoder/lstm_cell/kernel"),
    ]
    return collections.OrderedDict(pairs)


RNN_NAME_REPLACEMENTS = _replacements()

# What classes' names became, where that is not their own in snake case.
_CLASSES = {"RNN": "rnn", "BiRNN": "bidirectional_rnn", "FW": "fw", "BW": "bw"}
_CLASS = re.compile(r"(?:[A-Z]\w*(?:Cell|Wrapper))|RNN|BiRNN|FW|BW")
_NUMBERED = re.compile(r"Cell(\d+)")
_LEAVES = {"Matrix": "kernel", "Bias": "bias", "W_0": "kernel", "B": "bias", "W_P_0": "projection/kernel"}
_DIAGONALS = {f"W_{gate}_diag": f"w_{gate.lower()}_diag" for gate in "FIO"}


def new_name(name: str) -> str:
    """The name that a variable of an earlier release has now; its own, if it was of no recurrent network.

    Example:
        >>> new_name("RNN/MultiRNNCell/Cell0/BasicLSTMCell/Linear/Matrix")
        'rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel'
        >>> new_name("rnn/gru_cell/gates/weights")
        'rnn/gru_cell/gates/kernel'
    """
    for old, new in RNN_NAME_REPLACEMENTS.items():
        if old in name:
            return name.replace(old, new)
    parts = name.split("/")
    if not any(_CLASS.fullmatch(part) for part in parts):
        return name
    return "/".join(_new_parts(parts))


def _new_parts(parts: list[str]) -> list[str]:
    made: list[str] = []
    in_lstm = in_gru = False
    for part in parts:
        if _CLASS.fullmatch(part):
            in_lstm, in_gru = part == "LSTMCell", part == "GRUCell"
            made.append(_CLASSES.get(part) or to_snake_case(part))
        elif numbered := _NUMBERED.fullmatch(part):
            made.append(f"cell_{numbered[1]}")
        elif in_gru and part in ("Gates", "Candidate"):
            made.append(part.lower())
        elif part in ("Matrix", "Bias"):
            if made and made[-1] == "Linear":
                made.pop()
            made.append(_LEAVES[part])
        elif in_lstm:
            made.append(_LEAVES.get(part) or _DIAGONALS.get(part) or part)
        else:
            made.append(part)
    return made


def convert_names(
    checkpoint_from_path: str, checkpoint_to_path: str, write_v1_checkpoint: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """Writes a checkpoint anew with today's names of recurrent networks' variables.

    Args:
        checkpoint_from_path: the checkpoint to read.
        checkpoint_to_path: where to write.
        write_v1_checkpoint: whether to write the older format.

    Returns:
        the variables by their new names, and the new names of those that were renamed by their old ones.
    """
    reader = CheckpointReader(checkpoint_from_path)
    with Graph().as_default():
        variables = {}
        renamed = {}
        for name in reader.get_variable_to_shape_map():
            new = new_name(name)
            variables[new] = Variable(reader.get_tensor(name), name=name, use_resource=True)
            if new != name:
                tf_logging.info("Converted: %s --> %s", name, new)
                renamed[name] = new
        versions = saver_pb2.SaverDef
        saver = Saver(variables, write_version=versions.V1 if write_v1_checkpoint else versions.V2)
        with Session() as session:
            session.run(global_variables_initializer())
            saver.save(session, checkpoint_to_path)
    tf_logging.info("Converted %d variable name(s).", len(renamed))
    return variables, renamed


def main(arguments: list[str] | None = None) -> None:
    """Converts the checkpoint that the command line names."""
    parser = argparse.ArgumentParser(description=convert_names.__doc__)
    parser.add_argument("checkpoint_from_path")
    parser.add_argument("checkpoint_to_path")
    parser.add_argument("--write_v1_checkpoint", action="store_true")
    given = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    convert_names(given.checkpoint_from_path, given.checkpoint_to_path, given.write_v1_checkpoint)


if __name__ == "__main__":
    main()

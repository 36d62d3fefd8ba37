"""`headrace inspect`, and the same from Python."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import headrace as tf
from headrace.cli.commands import headrace as command

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "checkpoints"


def inspect(*arguments):
    return CliRunner().invoke(command, ["inspect", *map(str, arguments)])


@pytest.mark.parametrize("arguments", [[FIXTURES / "sharded"], ["--file_name", FIXTURES / "sharded"]])
def test_it_lists_what_is_there(arguments):
    done = inspect(*arguments)
    assert done.exit_code == 0
    assert "parts/rows (DT_FLOAT) [7,2]\n" in done.output
    assert done.output.endswith("# Total number of params: 102\n")


def test_it_prints_one_value():
    done = inspect(FIXTURES / "many", "--tensor_name", "layer_007/weights_of_the_layer")
    assert "tensor_name:  layer_007/weights_of_the_layer\n[7. 7.]\n" in done.output


def test_it_prints_all_values_or_names():
    values = inspect(FIXTURES / "sharded", "--all_tensors", "--printoptions", "precision=2").output
    assert "tensor_name:  beta1_power\n0.9\n" in values
    names = inspect(FIXTURES / "sharded", "--all_tensor_names=true").output
    assert names.count("tensor_name: ") == 12
    assert "0.9" not in names


def test_it_leaves_out_what_is_not_to_be_counted():
    done = inspect(FIXTURES / "sharded", "--count_exclude_pattern", "Adam|power")
    assert "# Excluding 8 tensors (68 params) that match Adam|power when counting.\n" in done.output
    assert done.output.endswith("# Total number of params: 34\n")


def test_it_says_what_is_wrong():
    assert "There is no checkpoint" in inspect(FIXTURES / "nothing").output
    assert "its name is without the ending" in inspect(FIXTURES / "many.data-00000-of-00001").output
    assert "Key nothing not found" in inspect(FIXTURES / "many", "--tensor_name", "nothing").output
    assert inspect().exit_code == 2
    assert inspect(FIXTURES / "many", "--printoptions", "nothing=1").exit_code == 2


def test_programs_import_it_from_its_old_place(capsys):
    from headrace.shim import install_as_tensorflow

    install_as_tensorflow(old_names=False)
    from tensorflow.python.tools import inspect_checkpoint

    inspect_checkpoint.print_tensors_in_checkpoint_file(
        str(FIXTURES / "many"), tensor_name="", all_tensors=False, all_tensor_names=True
    )
    assert capsys.readouterr().out.count("tensor_name: ") == 300


def test_a_folder_means_its_latest_checkpoint(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.get_variable("v", initializer=1.0)
        sess.run(variable.initializer)
        saver = tf.train.Saver()
        for step in (1, 2):
            saver.save(sess, str(tmp_path / "model"), global_step=step)
    done = inspect(tmp_path)
    assert done.exit_code == 0
    assert "model-2" in done.stderr
    assert "v (DT_FLOAT) []" in done.stdout


def test_there_must_be_a_checkpoint(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        done = inspect(path)
        assert done.exit_code == 1
        assert "There is no checkpoint" in done.output

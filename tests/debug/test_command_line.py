"""The debugger's command line, driven as a user would."""

import builtins

import numpy as np
import pytest

import headrace as tf
from headrace.debug import formatting, hooks, local_cli, parsing, terminal


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def user(monkeypatch):
    """Gives the commands that the prompt will read; those left over stay in the list."""
    commands = []

    def read(prompt):
        print(prompt, end="")
        if not commands:
            raise EOFError
        return commands.pop(0)

    monkeypatch.setattr(builtins, "input", read)
    return commands


@pytest.fixture
def program():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.Variable(np.eye(2, dtype=np.float32), name="w")
        y = tf.matmul(x, w, name="y")
        z = tf.log(y, name="z")
        loss = tf.reduce_mean(z, name="loss")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            yield local_cli.LocalCLIDebugWrapperSession(sess), x, loss


def answers(capsys):
    """What was printed, cut at the prompts."""
    return capsys.readouterr().out.split(terminal.PROMPT)


def test_commands(program, user, capsys, tmp_path):
    sess, x, loss = program
    user += [
        "pf x:0", "run", "lt -s tensor_name", "lt -f has_inf_or_nan", "lt -n y -t MatMul", "pt y:0", "pt z:0[0, :] -s",
        "pt z -r [-inf,0]", "pt nothere:0", "ni -a -d -t z", "li -r loss", "lo -c y", f"ps {__file__}", "ls",
        "eval 'np.sum(`y:0`)'", "config set graph_recursion_depth 3", "config", "help run", "bad", "lt -f nope",
        f"pt y:0 -w {tmp_path}/y.npy", f"lt > {tmp_path}/lt.txt", "version", "pt y:0 -n 4", "lt -s nothing", "run",
    ]  # fmt: skip
    assert sess.run(loss, {x: [[1.0, 2.0], [0.0, 3.0]]}) == -np.inf
    assert not user
    output = answers(capsys)
    assert "run-start: run #1: 1 fetch (loss:0); 1 feed (x:0)" in output[0]
    for part in ("Fetch(es):\n  loss:0", "Feed dict:\n  x:0", "* has_inf_or_nan"):
        assert part in output[0]
    assert "[0., 3.]" in output[1]
    assert output[2].startswith("run-end: run #1")
    assert "7 dumped tensor(s):" in output[2]
    names = [line.split()[-1] for line in output[3].strip().splitlines()[3:]]
    assert names == sorted(names) == ["Const:0", "loss:0", "w/read:0", "w:0", "x:0", "y:0", "z:0"]
    assert '2 dumped tensor(s) passing filter "has_inf_or_nan"' in output[4]
    assert 'Op type regex filter: "MatMul"' in output[5]
    assert "1 dumped tensor(s)" in output[5]
    assert 'Tensor "y:0:DebugIdentity":\n  dtype: float32\n  shape: (2, 2)\n\narray([[1., 2.],' in output[6]
    assert "0 + | total |" in output[7]
    assert "1 of 4 element(s)" not in output[8]
    assert "Highlighted([-inf,0]): 2 of 4 element(s) (50.00%)" in output[8]
    assert 'ERROR: Node "nothere" does not exist in partition graphs' in output[9]
    for part in ("Op: Log", "[MatMul] y", "[Mean] loss", "type: DT_FLOAT", "Slot 0 @ DebugIdentity", __file__):
        assert part in output[10]
    assert "|- (1) z\n|  |- (2) y\n|     |- (3) x\n|     |- (3) w/read\n|        |- (4) w\n|- (1) Const" in output[11]
    assert "|- (1) z\n   |- ..." in output[12]
    assert "    w\n    w/Assign\n    w/initial_value\n    w/read\n" in output[13]
    assert __file__ in output[14]
    assert "6.0" in output[15]
    assert "graph_recursion_depth: 3" in output[17]
    assert "--till_filter_pass" in output[18]
    assert 'ERROR: Invalid command prefix "bad"' in output[19]
    assert 'ERROR: There is no tensor filter named "nope".' in output[20]
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), [[1, 2], [0, 3]])
    assert "7 dumped tensor(s)" in (tmp_path / "lt.txt").read_text()
    assert "1.15" in output[23]
    assert "ERROR: Invalid number (4)" in output[24]
    assert "ERROR: Unsupported key" in output[25]


def test_running_on_until_a_filter_passes(program, user, capsys):
    sess, x, loss = program
    sess.add_tensor_filter("large", lambda datum, value: datum.node_name == "y" and value.max() > 5)
    user += ["run -f large", "run -n"]
    for i in range(10):
        sess.run(loss, {x: [[1.0 + i, 1.0]]})
        if not user:
            break
    assert i == 5
    output = "".join(answers(capsys))
    assert output.count("run-end") == 1
    assert '1 dumped tensor(s) passing filter "large"' in output


def test_running_several_times(program, user, capsys):
    sess, x, loss = program
    user += ["run -t 3", "run"]
    for _ in range(3):
        sess.run(loss, {x: [[1.0, 1.0]]})
    output = "".join(answers(capsys))
    assert "run-start: run #1" in output
    assert "run-end: run #3" in output
    assert output.count("run-") == 2


def test_leaving(program, user, capsys, tmp_path):
    sess, x, loss = program
    user += ["run", "exit"]
    sess.run(loss, {x: [[1.0, 1.0]]})
    with pytest.raises(SystemExit):
        sess.run(loss, {x: [[1.0, 1.0]]})
    assert "exited from debugger" in capsys.readouterr().err


def test_errors_are_shown_with_what_was_made_before(program, user, capsys):
    sess, x, loss = program
    with sess.graph.as_default():
        checked = tf.check_numerics(loss, "no good", name="checked")
    user += ["run", "lt -f has_inf_or_nan", "run"]
    error = sess.run(checked, {x: [[0.0, 1.0]]})
    assert isinstance(error, tf.errors.InvalidArgumentError)
    output = answers(capsys)
    assert "An error occurred" in output[1]
    assert "ni -a -d -t checked" in output[1]
    assert "2 dumped tensor(s)" in output[2]
    with pytest.raises(ValueError, match="cannot be empty"):
        sess.add_tensor_filter("", lambda datum, value: True)


def test_stepping(user, capsys):
    with tf.Graph().as_default():
        _, total = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0), [0, tf.constant(1.0)], name="lp")
        user += ["invoke_stepper", "cont lp/mul", "pt lp/mul:0", "ct lp/mul", "pt lp/mul:0", "s -t 2", "lsn -n lp/mul",
                 "cont nowhere", "run", "lt -n lp/mul$", "run"]  # fmt: skip
        with tf.Session() as plain:
            sess = local_cli.LocalCLIDebugWrapperSession(plain, ui_type="readline")
            assert sess.run(total) == 8.0
    assert not user
    output = answers(capsys)
    assert output[1].startswith("step: next is [")
    assert __file__.rpartition("/")[2] in output[1]
    assert "next is [Mul] lp/mul" in output[2]
    assert "did not generate any dumps" in output[3]
    assert "next is [Mul] lp/mul" in output[4]
    assert "np.float32(2.0)" in output[5] or "2.0" in output[5]
    assert "2x  [Mul] lp/mul" in output[7]
    assert "ERROR: There is no node" in output[8]
    assert "3 dumped tensor(s)" in output[10]


def test_profiles_and_callables(program, user, capsys):
    sess, x, loss = program
    user += ["run -p", "lp -s op_time -r", "run -n"]
    runner = sess.make_callable(loss, [x])
    assert runner([[1.0, 1.0]]) == 0.0
    output = answers(capsys)
    assert "Running a runner returned by Session.make_callable()" in output[0]
    assert "Device Total" in output[1]
    assert "MatMul" in output[2]
    with pytest.raises(NotImplementedError):
        sess.partial_run_setup(loss)


def test_hook(user, capsys):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        train = tf.assign_add(step, 1, name="up")
        hook = hooks.LocalCLIDebugHook(ui_type="readline")
        hook.add_tensor_filter("two", lambda datum, value: datum.node_name == "up" and value == 2)
        user += ["run -f two", "run -n", "run -n"]
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            assert [sess.run(train) for _ in range(3)] == [1, 2, 3]
    output = "".join(answers(capsys))
    assert '1 dumped tensor(s) passing filter "two"' in output


def test_where_dumps_may_be(program, tmp_path):
    sess = program[0].session
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="points to a file"):
        local_cli.LocalCLIDebugWrapperSession(sess, dump_root=str(tmp_path / "file"))
    with pytest.raises(ValueError, match="non-empty directory"):
        local_cli.LocalCLIDebugWrapperSession(sess, dump_root=str(tmp_path))
    with pytest.raises(ValueError, match="Unsupported ui_type"):
        local_cli.LocalCLIDebugWrapperSession(sess, ui_type="mouse")


@pytest.mark.parametrize(
    ("line", "words", "file"),
    [
        ("pt y:0[0, :] > out.txt", ["pt", "y:0[0,:]"], "out.txt"),
        ("pt y -r [[-inf, 0], [1, inf]]", ["pt", "y", "-r", "[[-inf,0],[1,inf]]"], None),
        ("eval 'a b'", ["eval", "a b"], None),
        ("", [], None),
    ],
)
def test_splitting_lines(line, words, file):
    assert parsing.split_command(line) == (words, file)


@pytest.mark.parametrize("text", ["1", "[1", "[2, 1]", "a,b"])
def test_ranges_that_are_none(text):
    with pytest.raises(parsing.CommandError):
        parsing.parse_ranges(text)


@pytest.mark.parametrize("slicing", ["[5]", "[x]", "[0, 0, 0]", "[__import__('os')]"])
def test_slicings_that_do_not_fit(slicing):
    with pytest.raises(parsing.CommandError):
        parsing.evaluate_tensor_slice(np.zeros((2, 2)), slicing)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (np.array([True, False, True]), ["| False  True | total |", "|     1     2 |     3 |"]),
        (np.array([b"a"], object), ["No numeric summary available due to tensor dtype: object."]),
        (np.zeros(0), ["No numeric summary available due to empty tensor."]),
        (np.array([np.nan, 1.0]), ["| nan   + | total |", "|   1   1 |     2 |"]),
    ],
)
def test_summaries(value, parts):
    lines = formatting.summary_lines(value)
    assert all(part in lines for part in parts)

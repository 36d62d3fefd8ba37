"""Paths and names that come from files: they lead nowhere but where they belong, and nothing is a pattern."""

from __future__ import annotations

import os
import pathlib
import stat
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as tf
from headrace.checkpoints import checkpoint_state
from headrace.debug import dump_files
from headrace.debug.dump_dir import DebugDumpDir
from headrace.files import file_io, paths
from headrace.files.checkpoint import atomic

PARTS = ("index", "data-00000-of-00001", "meta")


def state_file(folder, newest, others=()):
    lines = [f'model_checkpoint_path: "{newest}"', *(f'all_model_checkpoint_paths: "{path}"' for path in others)]
    (folder / "checkpoint").write_text("\n".join(lines))


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@pytest.fixture
def other(tmp_path):
    """A folder with checkpoints of somebody else."""
    folder = tmp_path / "other"
    folder.mkdir()
    for name in ("best", "second"):
        for part in PARTS:
            (folder / f"{name}.{part}").write_text("precious")
    return folder


# ---- patterns ----


@given(st.lists(st.text("ab*?[]!\\-.", min_size=1, max_size=6).filter(lambda t: t.strip(".")), min_size=1, max_size=4))
def test_an_escaped_path_matches_itself_alone(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    for name in names:
        (folder / name).touch()
    for name in names:
        path = f"{folder}/{name}"
        assert file_io.get_matching_files(file_io.escaped(path)) == [path]


@pytest.mark.parametrize(
    "pattern", ["{other}/*", "{root}/*/best", "{other}/[a-z]est", "{other}/bes?", "/*/*/*/*/*/*/x"]
)
def test_a_state_file_holds_no_patterns(tmp_path, other, pattern):
    state_file(tmp_path, pattern.format(other=other, root=tmp_path))
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    assert not tf.train.checkpoint_exists(pattern.format(other=other, root=tmp_path))
    assert tf.train.get_checkpoint_mtimes([pattern.format(other=other, root=tmp_path)]) == []


@pytest.mark.parametrize("name", ["runs[1]", "a*b", "what?", "[!x]", "back\\slash"])
def test_folders_whose_names_look_like_patterns(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    (tmp_path / "a-b").mkdir()
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        saver = tf.train.Saver(max_to_keep=1)
        for step in (1, 2):
            path = saver.save(session, str(folder / "model"), global_step=step)
        assert tf.train.latest_checkpoint(str(folder)) == path
        saver.restore(session, path)
    assert files_below(folder) == sorted(["checkpoint", *(f"model-2.{part}" for part in PARTS)])


def test_one_checkpoint_is_removed_not_its_likes(tmp_path):
    for name in ("model*", "model-1", "model-2"):
        for part in PARTS:
            (tmp_path / f"{name}.{part}").touch()
    tf.train.remove_checkpoint(str(tmp_path / "model*"))
    assert files_below(tmp_path) == sorted(f"model-{i}.{part}" for i in (1, 2) for part in PARTS)


def test_shards_of_the_first_format_are_still_found_and_removed(tmp_path):
    for i in range(2):
        (tmp_path / f"model[1]-0000{i}-of-00002").touch()
    (tmp_path / "model1-00000-of-00002").touch()
    (tmp_path / "model[1].meta").touch()
    path = str(tmp_path / "model[1]-?????-of-00002")
    assert tf.train.checkpoint_exists(path)
    assert len(tf.train.get_checkpoint_mtimes([path])) == 1
    tf.train.remove_checkpoint(path, checkpoint_format_version=tf.train.SaverDef.V1)
    assert files_below(tmp_path) == ["model1-00000-of-00002"]


# ---- what is swept ----


@pytest.mark.parametrize(
    ("folder", "path", "inside"),
    [
        ("{t}/run", "{t}/run/model-1", True),
        ("{t}/run", "{t}/run/deeper/model-1", True),
        ("{t}/run/", "{t}/run/model-1", True),
        ("{t}/run", "{t}/run/../other/best", False),
        ("{t}/run", "{t}/other/best", False),
        ("{t}/run", "{t}/run2/model-1", False),
        ("{t}/run", "{t}/run/link/best", False),
        ("{t}/run", "file://{t}/run/model-1", True),
        ("memory://a/run", "memory://a/run/model-1", True),
        ("memory://a/run", "memory://a/run/../x", False),
        ("memory://a/run", "{t}/run/model-1", False),
    ],
)
def test_what_lies_in_a_folder(tmp_path, other, folder, path, inside):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(other)
    assert checkpoint_state.lies_in(path.format(t=tmp_path), folder.format(t=tmp_path)) is inside


@pytest.mark.parametrize("path", ["{root}/other/best", "../other/best", "{root}/*/best", "{root}/*/*", "link/best"])
@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_a_state_file_does_not_have_files_elsewhere_deleted(tmp_path, other, path, version):
    before = files_below(other)
    train = tmp_path / "train"
    train.mkdir()
    (train / "link").symlink_to(other)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        tf.train.Saver(write_version=version).save(session, str(train / "model"), global_step=0)
        hostile = path.format(root=tmp_path)
        state_file(train, "model-0", [hostile, "model-0"])
        saver = tf.train.Saver(max_to_keep=1, write_version=version)
        manager = tf.train.SessionManager()
        restored, initialized = manager.recover_session("", saver, checkpoint_dir=str(train))
        assert initialized
        for step in (1, 2, 3):
            saver.save(restored, str(train / "model"), global_step=step)
        restored.close()
    assert files_below(other) == before
    # What the training had saved there before is its own, and swept as ever.
    assert tf.train.latest_checkpoint(str(train)) == str(train / "model-3")
    assert not any(name.startswith(("model-0", "model-1", "model-2")) for name in files_below(train))


def test_nor_does_a_saver_that_is_told_of_them(tmp_path, other):
    before = files_below(other)
    train = tmp_path / "train"
    train.mkdir()
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.Variable(1.0).initializer)
        saver = tf.train.Saver(max_to_keep=1)
        saver.save(session, str(train / "model"), global_step=0)
        saver.recover_last_checkpoints([str(other / "best"), str(train / "model-0")])
        assert len(saver.last_checkpoints) == 2
        for step in (1, 2, 3):
            saver.save(session, str(train / "model"), global_step=step)
    assert files_below(other) == before
    assert not any(name.startswith(("model-0", "model-1")) for name in files_below(train))


@pytest.mark.parametrize("path", ["{root}/other/best", "../other/best", "{root}/*/*"])
def test_nor_does_a_manager_of_checkpoints_delete_them(tmp_path, other, path):
    before = files_below(other)
    train = tmp_path / "train"
    train.mkdir()
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        checkpoint = tf.train.Checkpoint(v=v)
        with session.as_default():
            own = tf.train.CheckpointManager(checkpoint, str(train), max_to_keep=3)
            session.run(checkpoint.save_counter.initializer)
            first = own.save()
            hostile = path.format(root=tmp_path)
            text = (train / "checkpoint").read_text()
            added = f'all_model_checkpoint_paths: "{hostile}"\nall_model_checkpoint_timestamps: 2e9\n'
            (train / "checkpoint").write_text(added + text)
            manager = tf.train.CheckpointManager(checkpoint, str(train), max_to_keep=1)
            newest = [manager.save() for _ in range(3)][-1]
    assert files_below(other) == before
    assert not tf.train.checkpoint_exists(first)
    assert manager.checkpoints == [newest]


# ---- files that are no files ----


def in_time(function):
    """What a function returns that might wait for ever."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()), daemon=True)
    thread.start()
    thread.join(60)
    assert found, "it waits"
    return found[0]


def test_temporary_files_that_are_links_or_pipes_are_left_alone(tmp_path, other):
    gone = "tempstate4194305_0123456789ab"  # no such process: numbers end before
    os.mkfifo(tmp_path / f"pipe.{gone}")
    (tmp_path / f"link.{gone}").symlink_to(other / "best.index")
    (tmp_path / f"left.{gone}").touch()
    in_time(lambda: atomic.remove_abandoned(str(tmp_path)) or True)
    assert not (tmp_path / f"left.{gone}").exists()
    assert stat.S_ISFIFO(os.lstat(tmp_path / f"pipe.{gone}").st_mode)
    assert (other / "best.index").read_text() == "precious"


def test_writing_does_not_go_through_links(tmp_path, other):
    path = tmp_path / "checkpoint"
    path.symlink_to(other / "best.index")
    atomic.write(str(path), b"mine")
    assert (other / "best.index").read_text() == "precious"
    assert path.read_bytes() == b"mine"
    temporary = tmp_path / "temporary"
    temporary.symlink_to(other / "best.index")
    with pytest.raises(FileExistsError):
        atomic.open_temporary(str(temporary))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
def test_devices_without_an_end(tmp_path):
    # TensorFlow 1.15.5 reads as much as the size says, which is nothing.
    with tf.gfile.GFile("/dev/zero", "rb") as file:
        assert file.read() == b""
        assert file.read(3) == b"\0\0\0"
    (tmp_path / "checkpoint").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        tf.train.latest_checkpoint(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.contrib.lookup.index_table_from_file("/dev/zero", vocab_size=3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="is a device"):
            session.run(table.initializer)


# ---- names of nodes ----

_part = st.sampled_from([".", "..", "a", "b.c", "...", "%2E", "_x-y"])


@given(st.lists(_part, min_size=1, max_size=12).map("/".join))
def test_the_folder_of_a_scope_is_below_the_dump(scope):
    folder = dump_files.scope_folder(scope)
    assert not {".", ".."} & set(folder.split("/"))
    assert pathlib.PurePath("/dump", folder).is_relative_to("/dump")
    if "%" not in scope:  # as in all names of nodes
        assert dump_files.folder_scope(folder) == scope


@pytest.mark.parametrize("name", ["n/../../../../../out", "n/./x", "n/..", "a/../b/../c", "../up"])
def test_a_graph_with_such_names_is_dumped_below_the_folder(tmp_path, name):
    graph_def = tf.GraphDef()
    graph_def.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    node = graph_def.node.add(name=name, op="Neg", input=["x"])
    node.attr["T"].type = 1
    dumps = tmp_path / "a" / "b" / "dumps"
    with tf.Graph().as_default() as graph, tf.Session() as session:
        try:
            tf.import_graph_def(graph_def, name="")
        except ValueError:
            # Not a name at all.
            assert name.startswith(".")
            return
        options = tf.RunOptions()
        watch = options.debug_options.debug_tensor_watch_opts.add(node_name="*", output_slot=-1)
        watch.debug_ops.append("DebugIdentity")
        watch.debug_urls.append(f"file://{dumps}")
        assert session.run(f"{name}:0", {"x:0": 2.0}, options=options) == -2.0
        assert len(graph.get_operations()) == 2
    assert {path.parts[:3] for path in map(pathlib.Path, files_below(tmp_path))} == {("a", "b", "dumps")}
    dump = DebugDumpDir(str(dumps))
    assert dump.get_tensors(name, 0, "DebugIdentity") == [-2.0]


@pytest.mark.parametrize(
    ("kind", "content", "error"),
    [
        ("_tfdbg_core_metadata_1", b"\xff\xff", tf.errors.DataLossError),
        ("_tfdbg_core_metadata_1", b"", ValueError),
        ("_tfdbg_core_metadata_1", b"\x32\x06\x12\x04[1]}", ValueError),
        ("_tfdbg_device_,job_a/_tfdbg_graph_hash1_1", b"\xff\xff", tf.errors.DataLossError),
        ("_tfdbg_device_,job_a/_tfdbg_graph_hash1_1", b"\x22\x02\xff\xff", tf.errors.DataLossError),
    ],
)
def test_damaged_dumps(tmp_path, kind, content, error):
    path = tmp_path / kind
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(error):
        DebugDumpDir(str(tmp_path))


def test_an_event_without_a_tensor(tmp_path):
    folder = tmp_path / "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0"
    folder.mkdir()
    (folder / "x_0_DebugIdentity_1").write_bytes(b"")
    dump = DebugDumpDir(str(tmp_path))
    with pytest.raises(tf.errors.DataLossError, match="no tensor"):
        dump.get_tensors("x", 0, "DebugIdentity")


# ---- URLs ----


@pytest.mark.parametrize(
    "url",
    [
        *("reference://x::file:///tmp/refs.json", "simplecache::file:///etc/hostname", "simplecache:///etc/hostname"),
        *(
            "filecache://x",
            "blockcache://x",
            "zip://x::file:///a.zip",
            "tar://x",
            "dir://x",
            "local://x",
            "jupyter://x",
        ),
        *("github://a:b@c/d", "git://x", "dask://x", "generic://x", "data://x", "dvc://x", "cached://x", "nowhere://x"),
    ],
)
def test_only_stores_of_files_are_opened(url):
    """Other file systems that fsspec brings copy what they read, follow what it says, or evaluate it."""
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises((tf.errors.OpError, OSError)):
        session.run(tf.read_file(url))
    if "://" in url.split("::")[0]:
        with pytest.raises(tf.errors.UnimplementedError, match="not implemented"):
            paths.remote(url)


def test_urls_are_no_chains():
    system, inner = paths.remote("memory://a::b/c")
    assert type(system).__name__ == "MemoryFileSystem"
    assert inner.endswith("a::b/c")


def test_what_looks_like_a_url_in_a_state_file_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state_file(tmp_path, "memory://x/model", ["memory://x/model", "model-1"])
    state = tf.train.get_checkpoint_state("")
    assert state.model_checkpoint_path == "./memory://x/model"
    assert list(state.all_model_checkpoint_paths) == ["./memory://x/model", "model-1"]

"""Many damaged files, each opened by a process of its own with little memory and time, which must answer in TensorFlow's way.

python tests/interop/long_fuzz.py --count 3000 --seed 7 [--kinds meta index …]
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "oracle"))

import click
import torch
from google.protobuf.message import DecodeError
from make_caches import CASES, opened
from mutations import changed_by, damaged_by

import headrace as tf
from headrace.cli.commands import headrace as command_line
from headrace.core.eager import eager_mode
from headrace.data.tuning import snapshot
from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.sessions import DumpingDebugWrapperSession
from headrace.files.checkpoint.table import Table, TableWriter
from headrace.files.records import masked_crc32c
from headrace.messages import protos

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
# What opening a file of a few kilobytes may take beyond the program itself, and how long.
MEMORY, SECONDS = 3 << 30, 20
TRAINING = ("mlp", "convnet", "embedding", "recurrent")
SERVING = tuple(
    f"models/{name}" for name in ("dataset", "examples", "functional_flow", "functions", "loops", "vocabulary")
)
SERVING += ("models/attention_decoder", "graphs/saved_model", "saved_model_tf2")
SERVING += tuple(f"models_tf2/{name}" for name in ("examples", "flow", "images", "keras", "numbers", "vocabulary"))
OBJECTS = (
    "objects/tf1",
    "objects/tf2",
    "models_tf2/keras",
    "models_tf2/flow",
    "models_tf2/vocabulary",
    "saved_model_tf2",
)
# What `import_graph_def` says of a message as 1.x does, which is no file.
OF_MESSAGES = (tf.errors.OpError, ValueError, NotImplementedError)


class Wrong(Exception):
    """An answer that is not TensorFlow's, or that does not name the file."""


def answered(folder, function):
    """Whether what was opened was in order; if not, whether the answer names a file of the folder, or the node."""
    try:
        function()
    except tf.errors.OpError as error:
        if str(folder) not in error.message and "[[node IteratorGetNext" not in error.message:
            raise Wrong(f"{type(error).__name__} names no file: {error.message[:300]}") from error
    except RuntimeError as error:
        if "associated with tags" not in str(error):
            raise
    except ValueError as error:
        # As 1.x says it of the file `checkpoint`.
        if f"Invalid checkpoint state loaded from {folder}" not in str(error):
            raise


def spoiled(generator, data, kind):
    """A message that is another, or bytes that are."""
    if kind is not None and generator.random() < 0.6:
        return changed_by(generator, kind.FromString(data)).SerializeToString()
    return damaged_by(generator, data)


def spoil(generator, path, kind=None):
    path.write_bytes(spoiled(generator, path.read_bytes(), kind))


def graph(generator, folder):
    source = FIXTURES / generator.choice([*(f"graphs/{name}/model.meta" for name in TRAINING), "graphs/frozen.pb"])
    whole = source.read_bytes()
    if source.suffix == ".meta":
        whole = protos.MetaGraphDef.FromString(whole).graph_def.SerializeToString()
    graph_def = tf.GraphDef()
    try:
        graph_def.ParseFromString(spoiled(generator, whole, protos.GraphDef))
    except DecodeError:
        return
    with tf.Graph().as_default() as made, tf.Session() as session, contextlib.suppress(*OF_MESSAGES):
        tf.import_graph_def(graph_def, name=generator.choice(["", "a"]))
        operations = made.get_operations()
        for operation in generator.sample(operations, min(6, len(operations))):
            with contextlib.suppress(*OF_MESSAGES, TypeError):
                session.run(operation)


def restored(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(folder / "model.meta"))
        if saver is not None:
            saver.restore(session, str(folder / "model"))


def meta(generator, folder):
    shutil.copytree(FIXTURES / "graphs" / generator.choice(TRAINING), folder)
    spoil(generator, folder / "model.meta", protos.MetaGraphDef)
    answered(folder, lambda: restored(folder))


def bundle(generator, folder):
    shutil.copytree(FIXTURES / "graphs" / generator.choice(TRAINING), folder)
    spoil(generator, folder / generator.choice(["model.index", "model.data-00000-of-00001"]))
    answered(folder, lambda: restored(folder))


def resealed_table(generator, data, kinds=(protos.BundleHeaderProto, protos.BundleEntryProto)):
    """A table one of whose entries is another message, with checksums that fit; the kinds of the first entry and of others."""
    with tempfile.TemporaryDirectory() as place:
        source, target = pathlib.Path(place, "a"), pathlib.Path(place, "b")
        source.write_bytes(data)
        entries = [(bytes(key), bytes(value)) for key, value in Table(str(source))]
        which = generator.randrange(len(entries))
        made = []
        for number, (key, value) in enumerate(entries):
            if number == which:
                value = spoiled(generator, value, kinds[bool(key)])
            made.append((key, value))
        with open(target, "wb") as file:
            writer = TableWriter(file)
            for key, value in made:
                writer.add(key, value)
            writer.finish()
        return target.read_bytes()


def entries(generator, folder):
    shutil.copytree(FIXTURES / "graphs" / generator.choice(TRAINING), folder)
    path = folder / "model.index"
    path.write_bytes(resealed_table(generator, path.read_bytes()))
    answered(folder, lambda: restored(folder))


def checkpoints(generator, folder):
    shutil.copytree(FIXTURES / "checkpoints", folder)
    name = generator.choice(["types", "types_v1", "sharded", "sharded_v1", "many", "objects-1"])
    path = generator.choice(sorted(p for p in folder.iterdir() if p.name.startswith(name) and p.suffix != ".npz"))
    if path.suffix == ".index" and generator.random() < 0.5:
        path.write_bytes(resealed_table(generator, path.read_bytes()))
    elif "_v1" in path.name and generator.random() < 0.7:
        path.write_bytes(resealed_table(generator, path.read_bytes(), [protos.SavedTensorSlices] * 2))
    else:
        spoil(generator, path)
    prefix = str(folder / name) + ("-?????-of-00002" if name == "sharded_v1" else "")

    def read():
        reader = tf.train.NewCheckpointReader(prefix)
        reader.debug_string()
        for key in reader.get_variable_to_shape_map():
            reader.get_tensor(key)

    answered(folder, read)
    answered(folder, lambda: [tf.train.load_variable(prefix, n) for n, _ in tf.train.list_variables(prefix)])


def state(generator, folder):
    folder.mkdir()
    path = folder / "checkpoint"
    lines = [
        'model_checkpoint_path: "a-1"',
        'all_model_checkpoint_paths: "../../etc/a"',
        "last_preserved_timestamp: 1.5",
    ]
    path.write_bytes(damaged_by(generator, "\n".join(lines).encode()))
    answered(folder, lambda: (tf.train.latest_checkpoint(str(folder)), tf.train.get_checkpoint_state(str(folder))))


def saved_model(generator, folder):
    shutil.copytree(FIXTURES / generator.choice(SERVING), folder)
    files = [path for path in folder.rglob("*") if path.suffix in (".pb", ".index")]
    path = generator.choice(sorted(p for p in files if "finger" not in p.name))
    spoil(generator, path, protos.SavedModel if path.name == "saved_model.pb" else None)

    def load():
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.loader.load(session, ["serve"], str(folder))

    answered(folder, load)


def objects(generator, folder):
    shutil.copytree(FIXTURES / generator.choice(OBJECTS), folder)
    path = folder / "saved_model.pb"
    model = protos.SavedModel.FromString(path.read_bytes())
    found = model.meta_graphs[0]
    part = generator.choice(["objects", "library", "all", "bytes"])
    if part == "objects":
        found.object_graph_def.CopyFrom(changed_by(generator, found.object_graph_def))
    elif part == "library":
        found.graph_def.library.CopyFrom(changed_by(generator, found.graph_def.library))
    data = damaged_by(generator, path.read_bytes()) if part == "bytes" else None
    if part == "all":
        model = changed_by(generator, model)
    path.write_bytes(model.SerializeToString() if data is None else data)

    def load():
        with eager_mode():
            tf.saved_model.load_v2(str(folder), tags=["serve"])

    answered(folder, load)


def records(generator, folder):
    folder.mkdir()
    compression = generator.choice(["", "GZIP", "ZLIB"])
    source = FIXTURES / "graphs" / {"": "records", "GZIP": "records.gzip", "ZLIB": "records.zlib"}[compression]
    path = folder / "records"
    path.write_bytes(damaged_by(generator, source.read_bytes()))
    if not compression and generator.random() < 0.3:
        # A length of exabytes whose checksum fits.
        head = struct.pack("<Q", generator.choice([2**62, 2**40, 2**31]))
        path.write_bytes(path.read_bytes() + head + struct.pack("<I", masked_crc32c(head)))
    options = tf.python_io.TFRecordOptions(getattr(tf.python_io.TFRecordCompressionType, compression or "NONE"))
    answered(folder, lambda: list(tf.python_io.tf_record_iterator(str(path), options)))

    def dataset():
        with tf.Graph().as_default(), tf.Session() as session:
            item = tf.data.TFRecordDataset(str(path), compression_type=compression).make_one_shot_iterator().get_next()
            with contextlib.suppress(tf.errors.OutOfRangeError):
                while True:
                    session.run(item)

    answered(folder, dataset)


def events(generator, folder):
    folder.mkdir()
    path = folder / "events.out.tfevents.1"
    source = FIXTURES / "graphs" / "events" / "events.out.tfevents.fixture"
    if generator.random() < 0.5:
        spoil_records(generator, source, path)
    else:
        path.write_bytes(damaged_by(generator, source.read_bytes()))
    answered(folder, lambda: list(tf.train.summary_iterator(str(path))))


def spoil_records(generator, source, path):
    """Records that are other messages, with checksums that fit."""
    found = list(tf.python_io.tf_record_iterator(str(source)))
    which = generator.randrange(len(found))
    found[which] = spoiled(generator, found[which], protos.Event)
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for record in found:
            writer.write(record)


def examples(generator, folder):
    """Examples parsed by ops: what is no example is told."""
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.extend([1, 2])
    example.features.feature["b"].bytes_list.value.append(b"x")
    example.features.feature["c"].float_list.value.extend([1.0, 2.0])
    data = spoiled(generator, example.SerializeToString(), tf.train.Example)
    with tf.Graph().as_default(), tf.Session() as session, contextlib.suppress(tf.errors.OpError):
        expected = {"a": tf.VarLenFeature(tf.int64), "b": tf.FixedLenFeature([], tf.string)}
        expected["c"] = tf.FixedLenFeature([2], tf.float32)
        session.run([tf.parse_single_example(data, expected), tf.parse_example([data], expected)])


def all_elements(dataset):
    """Reads a dataset to its end, or to its first error."""
    with tf.Session() as session:
        item = tf.data.make_one_shot_iterator(dataset).get_next()
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                session.run(item)


def caches(generator, folder):
    """What `cache(filename)` of 1.x left."""
    shutil.copytree(FIXTURES / "caches", folder)
    name = generator.choice(sorted(CASES))
    path = generator.choice(sorted(folder.glob(f"{name}.*")))
    if path.suffix == ".index" and generator.random() < 0.7:
        path.write_bytes(resealed_table(generator, path.read_bytes()))
    else:
        spoil(generator, path)

    def read():
        with tf.Graph().as_default():
            all_elements(opened(tf, name, CASES[name](tf).cache(str(folder / name))))

    answered(folder, read)


def snapshots(generator, folder):
    """What `snapshot` left, with messages whose checksums fit."""
    name = generator.choice(sorted(set(CASES) - {"datasets"}))

    def read():
        with tf.Graph().as_default():
            all_elements(opened(tf, name, CASES[name](tf).apply(snapshot(str(folder)))))

    read()
    path = generator.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    if generator.random() < 0.7:
        found = list(tf.python_io.tf_record_iterator(str(path)))
        with tf.python_io.TFRecordWriter(str(path)) as writer:
            for record in found:
                writer.write(damaged_by(generator, record))
    else:
        spoil(generator, path)
    answered(folder, read)


@functools.lru_cache(maxsize=1)
def dump():
    """The folder of a step that the debugger watched, made once."""
    root = tempfile.mkdtemp(prefix="dump")
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.constant(["a", "b"], name="words")
        total = tf.reduce_sum(tf.random_uniform([2, 3]) * tf.constant([1.0, 2.0, 3.0]), name="scope/total")
        DumpingDebugWrapperSession(session, root).run([words, total])
    (run,) = pathlib.Path(root).iterdir()
    return run


def dumps(generator, folder):
    """What the debugger's dumps hold: graphs, tensors, names of files."""
    shutil.copytree(dump(), folder)
    path = generator.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    kind = generator.choice(["message", "message", "bytes", "name"])
    if kind == "name":
        name = damaged_by(generator, path.name.encode("latin-1")).decode("latin-1").replace("\0", "").replace("/", "")
        if not (path.parent / name).exists():
            path.rename(path.parent / name)
    else:
        spoil(generator, path, protos.Event if kind == "message" else None)

    def read():
        found = DebugDumpDir(str(folder))
        for datum in found.dumped_tensor_data:
            datum.get_tensor()
        for name in found.nodes():
            found.node_inputs(name)
            found.node_recipients(name)
            found.debug_watch_keys(name)
            found.transitive_inputs(name)

    with contextlib.suppress(ValueError):
        answered(folder, read)


def tools(generator, folder):
    """The command line's tools over spoiled graphs."""
    shutil.copytree(FIXTURES / "graphs", folder)
    path = folder / "frozen.pb"
    spoil(generator, path, protos.GraphDef)
    out = str(folder / "out.pb")
    common = ["--input_graph", str(path), "--input_binary", "true", "--output_graph", out, "--output_node_names", "y"]
    command = generator.choice(
        [
            ["strip", *common, "--input_node_names", "x"],
            ["freeze", *common, "--input_checkpoint", str(folder / "mlp" / "model")],
            ["optimize", "--input", str(path), "--output", out, "--input_names", "x", "--output_names", "y"],
        ]
    )
    with contextlib.ExitStack() as quiet:
        silence = quiet.enter_context(open(os.devnull, "w"))
        quiet.enter_context(contextlib.redirect_stdout(silence))
        quiet.enter_context(contextlib.redirect_stderr(silence))
        quiet.enter_context(contextlib.suppress(SystemExit))
        try:
            command_line.main(command, standalone_mode=False)
        except click.ClickException as error:
            if str(path) not in error.message:
                raise Wrong(f"names no file: {error.message[:300]}") from error


KINDS = {f.__name__: f for f in (graph, meta, bundle, entries, checkpoints, state, saved_model, objects)}
KINDS |= {f.__name__: f for f in (records, events, examples, tools, caches, snapshots, dumps)}


def case(kind, seed, root):
    """One case in this process; raises where the answer is wrong."""
    folder = root / "cell" / "model"
    folder.parent.mkdir(parents=True)
    generator = random.Random(f"{kind}-{seed}")
    KINDS[kind](generator, folder)
    left = [str(path) for path in root.rglob("*") if folder not in path.parents and path not in (folder, folder.parent)]
    if left:
        raise Wrong(f"written outside of the folder: {left}")


def in_child(kind, seed):
    """What was wrong with a case, which a process of its own ran; None if nothing."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="fuzz"))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        signal.alarm(3 * SECONDS)
        status = 0
        os.chdir(root)
        try:
            case(kind, seed, root)
        except BaseException:  # noqa: BLE001  a child tells its parent of everything
            os.write(write, traceback.format_exc().encode()[-6000:])
            status = 1
        os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    shutil.rmtree(root, ignore_errors=True)
    if status == 0:
        return None
    return said if os.WIFEXITED(status) else f"ended by signal {os.WTERMSIG(status)}"


def main():
    """Runs as many cases as asked for and tells of those that went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--show", type=int, default=12, help="how many lines of a traceback")
    options = parser.parse_args()
    wrong = 0
    tf.logging.set_verbosity(tf.logging.FATAL)
    torch.set_num_threads(1)
    for name in ("mlp", "recurrent"):
        restored(FIXTURES / "graphs" / name)  # what is loaded now, no child has to load
    if "dumps" in options.kinds:
        dump()
    for kind in options.kinds:
        for seed in range(options.seed, options.seed + options.count):
            said = in_child(kind, seed)
            if said is not None:
                wrong += 1
                print(f"== {kind} {seed}\n" + "\n".join(said.splitlines()[-options.show :]), flush=True)
        print(f"{kind}: {options.count} cases", flush=True)
    print(f"{wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())

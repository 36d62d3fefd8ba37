"""tf.gfile and tf.io.gfile on the local disk."""

import os
import shutil
import tempfile

import tensorflow as tf
from tensorflow.python.lib.io import file_io

results = {}
folder = tempfile.mkdtemp()
gfile = tf.gfile


def path(name):
    return os.path.join(folder, name)


def attempt(function):
    try:
        return cleaned(function())
    except Exception as error:
        return [type(error).__name__, cleaned(str(error))]


def cleaned(value):
    if isinstance(value, (list, tuple)):
        return [cleaned(item) for item in value]
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    return value.replace(folder, "FOLDER") if isinstance(value, str) else value


def lines_of(name, mode):
    with gfile.GFile(path(name), mode) as file:
        return list(file)


with gfile.GFile(path("a.txt"), "w") as f:
    f.write("h\u00e9llo\nworld\n")
    size_before = f.size()
    f.flush()
    results["sizes"] = [size_before, f.size(), f.tell()]
    f.write(b"third")
    results["read of a written file"] = attempt(f.read)
    results["about"] = cleaned([f.name, f.mode])
with gfile.Open(path("a.txt")) as f:
    results["reading"] = [
        f.read(3), f.tell(), f.readline(), f.tell(), f.readlines(), f.readline(), f.read(), f.seek(1), f.read(2),
        f.seek(-3, whence=2), f.read(), f.seekable(),
    ]  # fmt: skip
    results["bad places"] = [
        attempt(lambda: f.seek(1, whence=7)),
        attempt(lambda: f.seek(-1)),
        attempt(lambda: f.seek(100)),
        attempt(lambda: f.seek()),
        attempt(lambda: f.write("x")),
    ]
results["lines"] = [lines_of("a.txt", "r"), cleaned(lines_of("a.txt", "rb"))]
with gfile.FastGFile(path("a.txt"), "a") as f:
    results["append from"] = f.tell()
    f.write("end")
results["appended"] = file_io.read_file_to_string(path("a.txt"))
file_io.write_string_to_file(path("b.txt"), "written")
file_io.atomic_write_string_to_file(path("c.dat"), b"\x00\x01")
results["whole"] = cleaned(
    [file_io.read_file_to_string(path("b.txt")), file_io.read_file_to_string(path("c.dat"), binary_mode=True)]
)
unwritten = gfile.GFile(path("unwritten"), "w")
unwritten.close()

gfile.MakeDirs(path("s/t/u"))
gfile.MakeDirs(path("s/t/u"))
gfile.MkDir(path("s"))
for name in ("s/f0", "s/t/f1", "s/t/f2", ".hidden"):
    with open(path(name), "w") as plain:
        plain.write("1")
results["there"] = [
    gfile.Exists(folder), gfile.Exists(path("a.txt")), gfile.Exists(path("no")), gfile.Exists(path("unwritten")),
    gfile.IsDirectory(folder), gfile.IsDirectory(path("a.txt")), gfile.IsDirectory(path("no")),
    tf.io.gfile.exists(path("s")), tf.io.gfile.isdir(path("s")),
]  # fmt: skip
results["listed"] = [sorted(gfile.ListDirectory(folder)), sorted(tf.io.gfile.listdir(path("s")))]
for pattern in (
    "*",
    "*.txt",
    "s/*/f?",
    "[ab].txt",
    "[!a].txt",
    "a.txt",
    "none*",
    "s/",
    "**/f1",
    "{a,b}.txt",
    "s/t/[0-9]*",
):
    results["glob " + pattern] = cleaned(sorted(gfile.Glob(path(pattern))))
results["glob of several"] = cleaned(sorted(tf.io.gfile.glob([path("a*"), path("b*")])))
results["walk"] = cleaned([[top, sorted(dirs), sorted(files)] for top, dirs, files in gfile.Walk(folder)])
results["walk up"] = cleaned(
    [[top, sorted(dirs), sorted(files)] for top, dirs, files in tf.io.gfile.walk(path("s"), topdown=False)]
)
gfile.Copy(path("a.txt"), path("copied"))
gfile.Copy(path("b.txt"), path("copied"), overwrite=True)
gfile.Rename(path("copied"), path("renamed"))
tf.io.gfile.rename(path("renamed"), path("b.txt"), overwrite=True)
found = gfile.Stat(path("b.txt"))
results["stat"] = [found.length, found.is_directory, found.mtime_nsec > 0, tf.io.gfile.stat(folder).is_directory]
results["refusals"] = [
    attempt(lambda: gfile.GFile(path("no")).read()),
    attempt(lambda: gfile.GFile(path("a.txt"), "q")),
    attempt(lambda: gfile.GFile(folder).read()),
    attempt(lambda: gfile.GFile(path("no/such"), "w").write("1")),
    attempt(lambda: unwritten.write(3)),
    attempt(lambda: gfile.MkDir(path("no/such"))),
    attempt(lambda: gfile.MakeDirs(path("a.txt/x"))),
    attempt(lambda: gfile.ListDirectory(path("no"))),
    attempt(lambda: gfile.ListDirectory(path("a.txt"))),
    attempt(lambda: gfile.Glob(path("no/*"))),
    attempt(lambda: gfile.Copy(path("a.txt"), path("b.txt"))),
    attempt(lambda: gfile.Copy(path("no"), path("b.txt"))),
    attempt(lambda: gfile.Rename(path("a.txt"), path("b.txt"))),
    attempt(lambda: gfile.Rename(path("no"), path("b5.txt"))),
    attempt(lambda: gfile.Remove(path("no"))),
    attempt(lambda: gfile.Remove(path("s"))),
    attempt(lambda: gfile.DeleteRecursively(path("no"))),
    attempt(lambda: gfile.DeleteRecursively(path("a.txt"))),
    attempt(lambda: gfile.Stat(path("no"))),
]
unwritten.close()
gfile.Remove(path("b.txt"))
gfile.DeleteRecursively(path("s"))
results["left"] = sorted(gfile.ListDirectory(folder))
shutil.rmtree(folder)

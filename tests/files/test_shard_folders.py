"""Folders of shards that killed saves leave: which are taken away, and which are not."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from headrace.core.dtypes import as_dtype
from headrace.files.checkpoint import shard_folders
from headrace.files.checkpoint.bundle import BundleReader
from headrace.files.checkpoint.bundle_writer import BundleWriter, merge

DIGITS = "0123456789abcdef" * 2


def save(prefix):
    part = f"{prefix}_temp_{'f' * 32}/part-00000-of-00001"
    with BundleWriter(part) as writer:
        writer.add("x", as_dtype("float32"), np.zeros(3, np.float32))
        writer.finish()
    merge([part], prefix)


def ended_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def left(folder, name, process, machine=None, extra=()):
    made = folder / name
    made.mkdir()
    (made / f"owner-{machine or shard_folders._machine()}-{process}").touch()
    for file in ("part-00000-of-00002.data-00000-of-00001", *extra):
        (made / file).write_bytes(b"x")
    return made


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        (f"model_temp_{DIGITS}", True),
        (f"model-17_temp_{DIGITS}", True),
        (f"models_temp_{DIGITS}", False),
        (f"model-best_temp_{DIGITS}", False),
        (f"model_temp_{DIGITS}0", False),
        ("model_temp_mine", False),
    ],
)
def test_what_killed_saves_of_the_same_name_have_left_goes(tmp_path, name, goes):
    made = left(tmp_path, name, ended_process())
    save(str(tmp_path / "model-18"))
    assert made.exists() != goes
    assert BundleReader(str(tmp_path / "model-18")).names() == ["x"]
    assert not list(tmp_path.glob("model-18_temp_*"))


def test_what_may_be_in_use_stays(tmp_path):
    gone = ended_process()
    kept = [
        left(tmp_path, "model_temp_" + "1" * 32, os.getpid()),
        left(tmp_path, "model_temp_" + "2" * 32, gone, machine="0" * 12),
        left(tmp_path, "model_temp_" + "3" * 32, gone, extra=["notes.txt"]),
        left(tmp_path, "model_temp_" + "4" * 32, gone, extra=[f"owner-{shard_folders._machine()}-{os.getpid()}"]),
    ]
    plain = tmp_path / ("model_temp_" + "5" * 32)  # as TensorFlow leaves them: no one knows of whom
    plain.mkdir()
    (plain / "part-00000-of-00001.index").touch()
    save(str(tmp_path / "model"))
    assert all(made.exists() for made in [*kept, plain])


def test_a_lock_that_is_held_keeps_a_folder(tmp_path):
    made = left(tmp_path, f"model_temp_{DIGITS}", ended_process())
    with open(next(made.glob("owner-*")), "wb") as mark:
        assert shard_folders.try_lock(mark.fileno())
        shard_folders.remove_stale(str(tmp_path / "model"))
        assert made.exists()
    shard_folders.remove_stale(str(tmp_path / "model"))
    assert not made.exists()


def test_empty_folders_go_when_they_are_old(tmp_path):
    made = tmp_path / f"model_temp_{DIGITS}"
    made.mkdir()
    shard_folders.remove_stale(str(tmp_path / "model"))
    assert made.exists()
    os.utime(made, (1, 1))
    shard_folders.remove_stale(str(tmp_path / "model"))
    assert not made.exists()

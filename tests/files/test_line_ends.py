"""Line ends of other systems in files, and files in memory that several read at once."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.errors import FailedPreconditionError


def test_carriage_returns_are_no_part_of_lines(tmp_path):
    path = str(tmp_path / "lines")
    with tf.gfile.GFile(path, "wb") as file:
        file.write(b"a\r\nb\rc\n\r\nd\r")
    with tf.gfile.GFile(path, "rb") as file:
        assert [file.readline() for _ in range(5)] == [b"a\n", b"bc\n", b"\n", b"d", b""]
    with tf.gfile.GFile(path) as file:
        assert list(file) == ["a\n", "bc\n", "\n", "d"]
    with tf.gfile.GFile(path) as file:
        assert file.readlines() == ["a\n", "bc\n", "\n", "d"]
    with tf.gfile.GFile(path, "rb") as file:
        assert file.read() == b"a\r\nb\rc\n\r\nd\r"


def test_readers_of_a_file_in_memory_have_places_of_their_own():
    tf.gfile.MakeDirs("memory://ends/a")
    with tf.gfile.GFile("memory://ends/a/file", "w") as file:
        file.write("one\ntwo\n")
    first, second = tf.gfile.GFile("memory://ends/a/file"), tf.gfile.GFile("memory://ends/a/file")
    assert (first.readline(), second.readline(), first.readline()) == ("one\n", "one\n", "two\n")


def test_a_directory_without_a_name_is_there():
    assert tf.gfile.MakeDirs("") is None
    assert tf.gfile.MkDir("") is None


def test_directories_in_memory():
    gfile = tf.gfile
    gfile.MakeDirs("memory://folders/a/empty")
    gfile.MkDir("memory://folders/a/empty")
    gfile.MakeDirs("memory://folders/a/full")
    with gfile.GFile("memory://folders/a/full/file", "w") as file:
        file.write("text")
    assert gfile.Stat("memory://folders/a").is_directory
    with pytest.raises(FailedPreconditionError):
        gfile.Remove("memory://folders/a")
    with pytest.raises(FailedPreconditionError):
        gfile.DeleteRecursively("memory://folders/a/full/file")
    gfile.Rename("memory://folders/a/empty", "memory://folders/b")
    gfile.Rename("memory://folders/a/full", "memory://folders/c")
    assert gfile.IsDirectory("memory://folders/b")
    assert not gfile.Exists("memory://folders/a/empty")
    assert gfile.GFile("memory://folders/c/file").read() == "text"
    assert not gfile.Exists("memory://folders/a/full")

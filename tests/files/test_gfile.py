"""gfile over URLs; the local disk is compared with TensorFlow in tests/programs/files/gfile.py."""

from __future__ import annotations

import pytest

from headrace.core import errors
from headrace.files import file_io
from headrace.files.gfile import GFile


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    return "memory://folder"


def test_files_of_other_file_systems(memory):
    file_io.recursive_create_dir(f"{memory}/deep/er")
    with GFile(f"{memory}/a.txt", "w") as file:
        file.write("one\ntwo\n")
    with GFile(f"{memory}/a.txt") as file:
        assert list(file) == ["one\n", "two\n"]
    assert file_io.file_exists(f"{memory}/a.txt")
    assert not file_io.is_directory(f"{memory}/a.txt")
    assert sorted(file_io.list_directory(memory)) == ["a.txt", "deep"]
    assert file_io.get_matching_files(f"{memory}/*.txt") == [f"{memory}/a.txt"]
    assert file_io.stat(f"{memory}/a.txt").length == 8
    file_io.copy(f"{memory}/a.txt", f"{memory}/b.txt")
    file_io.rename(f"{memory}/b.txt", f"{memory}/c.txt")
    file_io.delete_file(f"{memory}/a.txt")
    assert next(files for _, _, files in file_io.walk(memory)) == ["c.txt"]
    file_io.delete_recursively(memory)
    assert not file_io.file_exists(f"{memory}/c.txt")


def test_what_is_missing_there_is_not_found(memory):
    with pytest.raises(errors.NotFoundError, match="No such file"):
        GFile(f"{memory}/none").read()


def test_an_unknown_scheme_is_named():
    with pytest.raises(errors.UnimplementedError, match="'nosuch'"):
        file_io.file_exists("nosuch://a/b")


def test_a_file_that_takes_the_place_of_another_at_once(tmp_path):
    target = tmp_path / "state"
    file_io.atomic_write_string_to_file(target, "1")
    file_io.atomic_write_string_to_file(target, "2")
    assert target.read_text() == "2"
    with pytest.raises(errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(target, "3", overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]

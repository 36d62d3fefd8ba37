"""Files that are fetched and kept: checksums, archives, and what may not leave its folder."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tarfile
import zipfile

import pytest

import headrace as tf

get_file = tf.keras.utils.get_file


@pytest.fixture
def origin(tmp_path):
    source = tmp_path / "source.bin"
    source.write_bytes(b"what is fetched")
    return source


def test_fetched_once(tmp_path, origin):
    path = get_file("kept.bin", origin.as_uri(), cache_dir=str(tmp_path))
    assert path == str(tmp_path / "datasets" / "kept.bin")
    origin.write_bytes(b"something else")
    assert get_file("kept.bin", origin.as_uri(), cache_dir=str(tmp_path)) == path
    with open(path, "rb") as file:
        assert file.read() == b"what is fetched"
    assert os.listdir(tmp_path / "datasets") == ["kept.bin"]


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_checksums(tmp_path, origin, algorithm):
    right = hashlib.new(algorithm, b"what is fetched").hexdigest()
    path = get_file("kept.bin", origin.as_uri(), cache_dir=str(tmp_path), file_hash=right)
    with open(path, "wb") as file:
        file.write(b"damaged")
    get_file("kept.bin", origin.as_uri(), cache_dir=str(tmp_path), file_hash=right)
    with open(path, "rb") as file:
        assert file.read() == b"what is fetched"
    with pytest.raises(ValueError, match="checksum"):
        get_file("other.bin", origin.as_uri(), cache_dir=str(tmp_path), file_hash="0" * len(right))
    assert os.listdir(tmp_path / "datasets") == ["kept.bin"]


def test_without_a_network(tmp_path):
    missing = (tmp_path / "nowhere.bin").as_uri()
    with pytest.raises(OSError, match=r"URL fetch failure on .*'kept\.bin' into .*datasets by hand"):
        get_file("kept.bin", missing, cache_dir=str(tmp_path))
    assert os.listdir(tmp_path / "datasets") == []


def archive_of(path, kind, name):
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, b"inside")
    else:
        with tarfile.open(path, "w:gz") as archive:
            member = tarfile.TarInfo(name)
            member.size = 6
            archive.addfile(member, io.BytesIO(b"inside"))


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_archives(tmp_path, kind):
    archive_of(tmp_path / "source", kind, "folder/member.txt")
    path = get_file("kept", (tmp_path / "source").as_uri(), cache_dir=str(tmp_path), extract=True)
    assert path == str(tmp_path / "datasets" / "kept")
    assert (tmp_path / "datasets" / "folder" / "member.txt").read_bytes() == b"inside"


def test_untar(tmp_path):
    archive_of(tmp_path / "source", "tar", "folder/member.txt")
    path = get_file("folder", (tmp_path / "source").as_uri(), cache_dir=str(tmp_path), untar=True)
    assert path == str(tmp_path / "datasets" / "folder")
    assert sorted(os.listdir(tmp_path / "datasets")) == ["folder", "folder.tar.gz"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("name", ["../out.txt", "folder/../../out.txt", "/tmp/headrace-out-of-the-folder.txt"])
def test_nothing_is_written_outside(tmp_path, kind, name):
    archive_of(tmp_path / "source", kind, name)
    before = set(os.listdir(tmp_path))
    # tar takes an absolute path for one below the folder.
    refused = (
        contextlib.nullcontext()
        if kind == "tar" and name.startswith("/")
        else pytest.raises(ValueError, match="not unpacked")
    )
    with refused:
        get_file("kept", (tmp_path / "source").as_uri(), cache_dir=str(tmp_path), extract=True)
    assert set(os.listdir(tmp_path)) == before | {"datasets"}
    assert not os.path.exists("/tmp/headrace-out-of-the-folder.txt")

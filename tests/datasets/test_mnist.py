"""Digits read from IDX files, in batches of NumPy's order."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

from headrace.datasets import mnist


@pytest.fixture
def folder(tmp_path):
    random = np.random.RandomState(0)
    for part, count in (("train", 60), ("t10k", 10)):
        images = random.randint(0, 256, [count, 28, 28]).astype(np.uint8)
        labels = (np.arange(count) % 10).astype(np.uint8)
        for what, header, data in (
            ("images-idx3", struct.pack(">4I", 2051, count, 28, 28), images),
            ("labels-idx1", struct.pack(">2I", 2049, count), labels),
        ):
            with gzip.open(tmp_path / f"{part}-{what}-ubyte.gz", "wb") as file:
                file.write(header + data.tobytes())
    return str(tmp_path)


def test_sizes_and_kinds(folder):
    data = mnist.read_data_sets(folder, one_hot=True, validation_size=20)
    assert [part.num_examples for part in data] == [40, 20, 10]
    assert data.train.images.shape == (40, 784)
    assert data.train.images.dtype == np.float32
    assert 0 <= data.train.images.min() <= data.train.images.max() <= 1
    assert (data.test.labels.argmax(1) == np.arange(10)).all()


def test_the_files_are_named_as_they_are_read(folder, capsys):
    mnist.read_data_sets(folder, validation_size=0)
    lines = capsys.readouterr().out.splitlines()
    assert [line.rsplit("/", 1)[1] for line in lines] == [
        f"{part}-{what}-ubyte.gz" for part in ("train", "t10k") for what in ("images-idx3", "labels-idx1")
    ]
    assert all(line.startswith(f"Extracting {folder}") for line in lines)


def test_batches_go_round_in_the_seeds_order(folder):
    train = mnist.read_data_sets(folder, validation_size=0, seed=3).train
    state = np.random.RandomState(3)
    first, second = state.permutation(60), None
    order = [label for _ in range(2) for label in train.next_batch(25)[1].tolist()]
    assert order == [int(i) % 10 for i in first[:50]]
    ends = train.next_batch(25)[1].tolist()
    second = first[state.permutation(60)]
    assert ends == [int(i) % 10 for i in [*first[50:], *second[:15]]]
    assert train.epochs_completed == 1


def test_without_shuffling(folder):
    train = mnist.read_data_sets(folder, validation_size=0).train
    assert train.next_batch(12, shuffle=False)[1].tolist() == [*range(10), 0, 1]


def test_made_up_data():
    data = mnist.read_data_sets("", fake_data=True, one_hot=True)
    images, labels = data.train.next_batch(3, fake_data=True)
    assert (len(images), len(images[0]), labels[0]) == (3, 784, [1] + [0] * 9)


def test_refusals(folder, tmp_path):
    with pytest.raises(ValueError, match="Validation size"):
        mnist.read_data_sets(folder, validation_size=61)
    with pytest.raises(TypeError, match="image dtype"):
        mnist.DataSet(np.zeros([1, 2, 2, 1]), np.zeros(1), dtype="float64")
    (tmp_path / "bad.gz").write_bytes(gzip.compress(bytes(16)))
    with open(tmp_path / "bad.gz", "rb") as file, pytest.raises(ValueError, match="magic number 0"):
        mnist.extract_images(file)


def test_what_cannot_be_fetched_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"train-images-idx3-ubyte\.gz is not there"):
        mnist.read_data_sets(str(tmp_path), source_url=f"file://{tmp_path}/none/")

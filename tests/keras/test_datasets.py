"""The data sets of Keras, from small files of the same formats."""

from __future__ import annotations

import contextlib
import gzip
import os
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as tf
from headrace.keras.datasets import cifar10, cifar100, fashion_mnist, imdb, mnist, reuters
from headrace.keras.datasets.pickled_arrays import decode, read_npz
from headrace.keras.datasets.word_numbers import ragged


class Bomb:
    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("protocol", range(1, 5))
@pytest.mark.parametrize("place", ["whole", "list", "dict", "array"])
def test_nothing_that_a_file_names_is_called(tmp_path, protocol, place):
    bomb = Bomb(tmp_path / "ran")
    values = {"whole": bomb, "list": [1, bomb], "dict": {"data": bomb}, "array": ragged([[bomb]])}
    with pytest.raises(ValueError, match="cannot be read"):
        decode(pickle.dumps(values[place], protocol))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("value", [os.system, {"a": os.system}, [np.random.rand]])
def test_references_are_no_data(value):
    with pytest.raises(ValueError, match=r"reference to|cannot be read"):
        decode(pickle.dumps(value))


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(plain, st.integers(3, 4))
def test_plain_values(value, protocol):
    assert decode(pickle.dumps(value, protocol)) == value


@given(st.binary(max_size=60))
def test_damage_is_a_value_error(data):
    with contextlib.suppress(ValueError):
        decode(data)


@given(st.integers(0, 200), st.sampled_from([0, 1, 77, 255]))
def test_a_changed_byte(place, byte):
    data = bytearray(pickle.dumps({"data": np.arange(6).reshape(2, 3), "labels": [1, 2, 3]}, 2))
    data[place % len(data)] = byte
    with contextlib.suppress(ValueError):
        decode(bytes(data))


@pytest.mark.parametrize("dtype", ["uint8", "int64", ">i4", "float32", "bool"])
@pytest.mark.parametrize("protocol", range(1, 5))
def test_arrays(dtype, protocol):
    for array in (np.arange(6).reshape(2, 3).astype(dtype), np.asfortranarray(np.ones((2, 2), dtype))):
        read = decode(pickle.dumps(array, protocol))
        np.testing.assert_array_equal(read, array)
        assert read.dtype == array.dtype


def test_npz_with_lists(tmp_path):
    lists = ragged([[1, 300, 70000], [], [5]])
    np.savez(tmp_path / "a.npz", x=lists, y=np.arange(3))
    x, y = read_npz(str(tmp_path / "a.npz"), "x", "y")
    assert list(x) == list(lists)
    np.testing.assert_array_equal(y, [0, 1, 2])
    with pytest.raises(KeyError):
        read_npz(str(tmp_path / "a.npz"), "z")


def python_2_batch(labels):
    """A file of CIFAR's, as Python 2 wrote it: short texts, and the numbers as one."""
    images = np.arange(len(labels) * 3072).astype(np.uint8).reshape(-1, 3072)
    head = b"\x80\x02}q\x01(U\x04dataq\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nq\x04"
    head += b"K\x00\x85U\x01b\x87Rq\x05(K\x01K" + bytes([len(labels)]) + b"M\x00\x0c\x86cnumpy\ndtype\nq\x06"
    head += b"U\x02u1K\x00K\x01\x87Rq\x07(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"
    raw = images.tobytes()
    numbers = b"".join(b"K" + bytes([label]) for label in labels)
    return head + len(raw).to_bytes(4, "little") + raw + b"tb" + b"U\x06labelsq\x08](" + numbers + b"e" + (
        b"U\x0bfine_labels](" + numbers + b"eu."
    ), images


def test_cifar(tmp_path, monkeypatch):
    data, images = python_2_batch([7, 3])
    for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch", "train", "test"]:
        (tmp_path / name).write_bytes(data)
    for module in (cifar10, cifar100):
        monkeypatch.setattr(module, "get_file", lambda *args, **kwargs: str(tmp_path))
    (x, y), (x_test, _) = tf.keras.datasets.cifar10.load_data()
    assert x.shape == (10, 32, 32, 3)
    assert y.tolist() == [[7], [3]] * 5
    assert y.dtype == x.dtype == np.uint8
    np.testing.assert_array_equal(x_test, images.reshape(2, 3, 32, 32).transpose(0, 2, 3, 1))
    (x, y), _ = tf.keras.datasets.cifar100.load_data()
    assert (x.shape, y.tolist()) == ((2, 32, 32, 3), [[7], [3]])
    with pytest.raises(ValueError, match="coarse_labels"):
        tf.keras.datasets.cifar100.load_data("coarse")
    with pytest.raises(ValueError, match="label_mode"):
        tf.keras.datasets.cifar100.load_data("x")


def test_mnist(tmp_path, monkeypatch):
    np.savez(tmp_path / "m.npz", x_train=np.zeros((3, 28, 28)), y_train=[1, 2, 3], x_test=[[4]], y_test=[5])
    monkeypatch.setattr(mnist, "fetched", lambda *args: str(tmp_path / "m.npz"))
    (x, y), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
    assert (x.shape, y.tolist(), x_test.tolist(), y_test.tolist()) == ((3, 28, 28), [1, 2, 3], [[4]], [5])


def test_fashion_mnist(tmp_path, monkeypatch):
    for part in ("train", "t10k"):
        with gzip.open(tmp_path / f"{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + bytes([9, 8]))
        with gzip.open(tmp_path / f"{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + bytes(range(196)) * 8)
    monkeypatch.setattr(fashion_mnist, "get_file", lambda name, **kwargs: str(tmp_path / name))
    (x, y), _ = tf.keras.datasets.fashion_mnist.load_data()
    assert (x.shape, y.tolist(), x[0, 0, 5]) == ((2, 28, 28), [9, 8], 5)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="fetched again"):
        tf.keras.datasets.fashion_mnist.load_data()


def test_imdb(tmp_path, monkeypatch):
    texts = ragged([[1, 2, 30], [4], [5, 6, 7, 8], [9]])
    np.savez(tmp_path / "i.npz", x_train=texts, y_train=[0, 1, 2, 3], x_test=texts[:2], y_test=[4, 5])
    monkeypatch.setattr(imdb, "fetched", lambda *args: str(tmp_path / "i.npz"))
    (x, y), (x_test, _) = tf.keras.datasets.imdb.load_data(num_words=20, skip_top=5)
    order = np.arange(4)
    np.random.seed(113)
    np.random.shuffle(order)
    assert y.tolist() == order.tolist()
    assert sorted(x) == sorted([[2, 2, 5, 2], [2, 7], [2, 8, 9, 10, 11], [2, 12]])
    assert len(x_test) == 2
    (x, _), _ = tf.keras.datasets.imdb.load_data(start_char=None, oov_char=None, index_from=0, num_words=5)
    assert sorted(x) == [[], [], [1, 2], [4]]
    with pytest.raises(ValueError, match="Increase maxlen"):
        tf.keras.datasets.imdb.load_data(maxlen=1)
    with pytest.raises(TypeError, match="Unrecognized"):
        tf.keras.datasets.imdb.load_data(x=1)


def test_reuters(tmp_path, monkeypatch):
    np.savez(tmp_path / "r.npz", x=ragged([[1], [2], [3], [4], [5]]), y=np.arange(5))
    monkeypatch.setattr(reuters, "fetched", lambda *args: str(tmp_path / "r.npz"))
    (x, y), (x_test, y_test) = tf.keras.datasets.reuters.load_data(test_split=0.4, num_words=100)
    assert [text[1] - 4 for text in x] == y.tolist()
    assert (len(x), len(x_test), sorted([*y, *y_test])) == (3, 2, [0, 1, 2, 3, 4])

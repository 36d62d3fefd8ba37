"""Files of CSV whose beginnings are read for the names and types of columns, and are no text."""

from __future__ import annotations

import gzip

import pytest

import headrace as tf

WHOLE = gzip.compress(b"a,b\n" + bytes(range(48, 120)) * 200, mtime=0)


@pytest.mark.parametrize(
    ("data", "compression"),
    [(b"a\xff,b\n1,2\n", None), (WHOLE, None), (WHOLE[: len(WHOLE) // 3], "GZIP"), (b"a,b\n1,2\n", "GZIP")],
    ids=["bytes", "packed", "packed, cut", "text as packed"],
)
def test_a_file_that_is_no_text_is_named(tmp_path, data, compression):
    path = tmp_path / "rows"
    path.write_bytes(data)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=f"{path} cannot be read as lines of CSV"):
        tf.data.experimental.make_csv_dataset(str(path), 2, compression_type=compression)

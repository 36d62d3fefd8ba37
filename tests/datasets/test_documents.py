"""Files of tf.contrib.learn's vocabulary processors."""

from __future__ import annotations

import pickle
import subprocess

import pytest

from headrace.contrib.learn.documents import VocabularyProcessor


def test_a_file_names_tensorflows_classes(tmp_path):
    path = str(tmp_path / "vocab")
    processor = VocabularyProcessor(3)
    processor.fit(["one two"])
    processor.save(path)
    data = (tmp_path / "vocab").read_bytes()
    assert b"tensorflow.contrib.learn.python.learn.preprocessing.text\nVocabularyProcessor" in data
    assert b"headrace" not in data
    restored = VocabularyProcessor.restore(path)
    assert [row.tolist() for row in restored.transform(["two three one"])] == [[2, 0, 1]]


@pytest.mark.parametrize("harm", [subprocess.run, eval, pytest.main])
def test_a_file_runs_nothing(tmp_path, harm):
    class Harm:
        def __reduce__(self):
            return harm, ("true",)

    path = tmp_path / "vocab"
    path.write_bytes(pickle.dumps(Harm()))
    with pytest.raises(pickle.UnpicklingError, match=r"refers to .*, which is not of such processors"):
        VocabularyProcessor.restore(str(path))

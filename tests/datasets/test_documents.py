"""Files of tf.contrib.learn's vocabulary processors."""

from __future__ import annotations

import copyreg
import operator
import os
import pickle
import subprocess
import tracemalloc
from collections import Counter, OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import has_oracle, run_program

from headrace.contrib.learn.documents import VocabularyProcessor
from headrace.contrib.learn.pickled_data import Name, decode
from headrace.contrib.learn.processor_files import read_processor
from headrace.contrib.learn.vocabularies import CategoricalVocabulary

FILES = Path(__file__).resolve().parent.parent / "fixtures" / "vocabularies"
TEXT = "tensorflow.contrib.learn.python.learn.preprocessing.text"
VOCABULARY = "tensorflow.contrib.learn.python.learn.preprocessing.categorical_vocabulary"


def by_letter(texts):
    return (list(text) for text in texts)


def rows(processor, *texts):
    return [row.tolist() for row in processor.transform(texts)]


def test_a_file_names_tensorflows_classes(tmp_path):
    path = str(tmp_path / "vocab")
    processor = VocabularyProcessor(3)
    processor.fit(["one two"])
    processor.save(path)
    data = (tmp_path / "vocab").read_bytes()
    assert b"tensorflow.contrib.learn.python.learn.preprocessing.text\nVocabularyProcessor" in data
    assert b"headrace" not in data
    restored = VocabularyProcessor.restore(path)
    assert rows(restored, "two three one") == [[2, 0, 1]]


@pytest.mark.parametrize("file", ["python3", "python3_protocol4"])
def test_files_of_tensorflow(file):
    # Written by 1.15.5, fitted to "the cat sat é" and "the dog's 漢字 cat".
    restored = VocabularyProcessor.restore(str(FILES / file))
    assert rows(restored, "the cat é x", "漢字 dog's") == [[1, 2, 4, 0], [6, 5, 0, 0]]
    assert list(restored.reverse([[3, 0]])) == ["sat <UNK>"]
    assert restored.vocabulary_._freq == {"the": 2, "cat": 2, "sat": 1, "é": 1, "dog's": 1, "漢字": 1}


@pytest.mark.parametrize("file", ["python2", "python2_protocol2"])
def test_files_of_python_2(file):
    # Written by cPickle; words are texts in UTF-8, texts, and bytes that are no text.
    restored = VocabularyProcessor.restore(str(FILES / file))
    words = ["<UNK>", "the", "café", "漢字", "line\nbreak\\", "it's", b"\xff\x00bad"]
    assert restored.vocabulary_._mapping == {word: i for i, word in enumerate(words)}
    assert restored.vocabulary_._reverse_mapping == words
    assert restored.max_document_length == 4


def test_what_a_vocabulary_may_have(tmp_path):
    path = str(tmp_path / "vocab")
    words = [3.5, "text", b"", b"\xff", ("two", b"words"), -(2**40), True, np.str_("numpy"), np.float32(1.5)]
    vocabulary = CategoricalVocabulary(unknown_token=None, support_reverse=False)
    for word in words:
        vocabulary.add(word)
    processor = VocabularyProcessor(np.int64(3), vocabulary=vocabulary)
    processor.language = "en"
    processor.save(path)
    assert b"numpy.core" not in Path(path).read_bytes()
    restored = VocabularyProcessor.restore(path)
    assert restored.vocabulary_._mapping == vocabulary._mapping
    assert restored.max_document_length == 3
    assert restored.language == "en"
    # As they are without being kept.
    restored.vocabulary_.add("new")
    assert restored.vocabulary_.get("new") == len(words) + 1


def test_numpys_numbers_in_tensorflows_files():
    kind = b"cnumpy\ndtype\nX\x02\x00\x00\x00i8K\x00K\x01\x87R(K\x03X\x01\x00\x00\x00<NNNK\x00K\x00K\x00tb"
    number = (-5).to_bytes(8, "little", signed=True)
    assert decode(b"\x80\x03cnumpy.core.multiarray\nscalar\n" + kind + b"C\x08" + number + b"\x86R.") == -5


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle")
def test_tensorflow_reads_our_files(tmp_path):
    path = str(tmp_path / "vocab")
    processor = VocabularyProcessor(np.int64(3), min_frequency=1)
    processor.fit(["the cat", "the café", "café 漢字 cat"])
    processor.save(path)
    program = f"""
from tensorflow.contrib import learn
processor = learn.preprocessing.VocabularyProcessor.restore({path!r})
results = {{"rows": [row.tolist() for row in processor.transform(["café the cat", "漢字"])]}}
processor.vocabulary_.freeze(False)
processor.vocabulary_.add("new")
results["new"] = processor.vocabulary_.get("new")
"""
    assert run_program(program, "tf1") == {"rows": rows(processor, "café the cat", "漢字"), "new": 4}


class Longer(VocabularyProcessor):
    """A class of a program."""


def test_a_class_of_a_program_is_restored_by_it(tmp_path):
    path = str(tmp_path / "vocab")
    Longer(2).fit(["a b"]).save(path)
    assert type(Longer.restore(path)) is Longer
    with pytest.raises(pickle.UnpicklingError, match=r"refers to .*Longer, which is not of such processors"):
        VocabularyProcessor.restore(path)


def test_a_tokenizer_of_a_program_is_given_anew(tmp_path):
    path = str(tmp_path / "vocab")
    VocabularyProcessor(3, tokenizer_fn=by_letter).fit(["ab"]).save(path)
    with pytest.raises(pickle.UnpicklingError, match=r"refers to .*by_letter.*tokenizer_fn="):
        VocabularyProcessor.restore(path)
    assert rows(VocabularyProcessor.restore(path, tokenizer_fn=by_letter), "ba") == [[2, 1, 0]]


@pytest.mark.parametrize("tokenizer", [lambda texts: texts, Longer(2).transform, operator.methodcaller("split")])
def test_a_tokenizer_without_a_name_is_not_saved(tmp_path, tokenizer):
    with pytest.raises(pickle.PicklingError):
        VocabularyProcessor(3, tokenizer_fn=tokenizer).save(str(tmp_path / "vocab"))
    assert not (tmp_path / "vocab").exists()


@pytest.mark.parametrize("word", [(1, 2), 2**64, frozenset("a"), Path("a")])
def test_other_words_are_not_saved(tmp_path, word):
    processor = VocabularyProcessor(3)
    processor.vocabulary_.add(word)
    with pytest.raises(pickle.PicklingError, match="expected texts, numbers"):
        processor.save(str(tmp_path / "vocab"))


# ------------------------------------------------------------------------------------------------------- hostile files


def processor_file(length=b"K\x03", vocabulary=None, tokenizer=None, word=b"X\x01\x00\x00\x00a", more=b""):
    """A processor in pickle's instructions, with others in their places."""
    plain = (
        f"c{VOCABULARY}\nCategoricalVocabulary\n".encode() + b")\x81}(U\x0e_unknown_tokenNU\x10_support_reverse\x88"
        b"U\x08_mapping}" + word + b"K\x00sU\x10_reverse_mapping]U\x05_freq}U\x07_freeze\x88ub"
    )
    return (
        b"\x80\x04" + f"c{TEXT}\nVocabularyProcessor\n".encode() + b")\x81}(U\x13max_document_length" + length
        + b"U\rmin_frequencyK\x00U\x0bvocabulary_" + (plain if vocabulary is None else vocabulary)
        + b"U\n_tokenizer" + (f"c{TEXT}\ntokenizer\n".encode() if tokenizer is None else tokenizer) + more + b"ub."
    )  # fmt: skip


def refusal(tmp_path, data):
    path = tmp_path / "hostile"
    path.write_bytes(data)
    with pytest.raises(pickle.UnpicklingError) as raised:
        VocabularyProcessor.restore(str(path))
    return str(raised.value)


PLACES = ["length", "vocabulary", "tokenizer", "word", "more"]


def test_the_frame_of_hostile_files_is_sound(tmp_path):
    (tmp_path / "sound").write_bytes(processor_file())
    assert rows(VocabularyProcessor.restore(str(tmp_path / "sound")), "a") == [[0, 0, 0]]


class Calling:
    """Is pickled as a call."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def note_call(*arguments):
    """In the program's reach, as what it imported is."""
    raise AssertionError("a file called a function")


CALLS = [
    (os.system, "exit 1"),
    (subprocess.run, "true"),
    (eval, "1"),
    (open, "made", "w"),
    (os.mkdir, "made"),
    (note_call,),
    (getattr, "text", "join"),
    (operator.attrgetter("join"), "text"),
    (setattr, VocabularyProcessor, "transform", None),
    (copyreg._reconstructor, Calling, tuple, ()),
    (copyreg.__newobj__, Calling),
    (bytearray, 1 << 30),
    (pickle.loads, b"."),
    (np.load, "made"),
    (np.dtype, "O"),
    (Counter, "aab"),
    (OrderedDict,),
    (VocabularyProcessor, 3),
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("call", CALLS, ids=lambda call: getattr(call[0], "__qualname__", type(call[0]).__name__))
def test_calls_are_not_made(tmp_path, monkeypatch, protocol, call):
    monkeypatch.chdir(tmp_path)
    before = dict(vars(VocabularyProcessor))
    data = pickle.dumps(Calling(*call), protocol)
    refusal(tmp_path, data)
    for place in PLACES:
        # Without what begins and ends it.
        refusal(tmp_path, processor_file(**{place: data[2 * (protocol >= 2) : -1]}))
    assert os.listdir(tmp_path) == ["hostile"]
    assert dict(vars(VocabularyProcessor)) == before


NAMED = f"c{__name__}\nnote_call\n".encode()


@pytest.mark.parametrize(
    "instructions",
    [
        f"({'i' + __name__}\nnote_call\n".encode(),  # INST
        b"(" + NAMED + b"o",  # OBJ
        NAMED + b")}\x92",  # NEWOBJ_EX
        b"\x82\xf0)R",  # EXT1
        b"\x83\xf0\x00)R",
        b"\x84\xf0\x00\x00\x00)R",
        b"Pid\n",  # PERSID
        b"K\x01Q",
        b"\x97",  # NEXT_BUFFER
        b"\x8c\x02os\x8c\x06system\x93U\x04true\x85R",
        b"\x8c\x02os\x8c\x0bpath.isfile\x93U\x04true\x85R",
        b"\x8c\x08builtins\x8c\x10__import__.call\x93)R",
        b"\x8c\x08__main__\x8c\x04main\x93)R",
        b"cheadrace.contrib.learn.documents\nVocabularyProcessor.restore\nU\x01x\x85R",
        b"cheadrace.contrib.learn.documents\nVocabularyProcessor\n)\x81",
        f"c{TEXT}\ntokenizer\n".encode() + b"U\x01x\x85R",
        f"c{TEXT}\nVocabularyProcessor\n".encode() + b"K\x03\x85R",
        f"c{TEXT}\nVocabularyProcessor\n".encode() + b"K\x03\x85\x81",
        f"c{VOCABULARY}\nCategoricalVocabulary\n".encode() + b"}U\x03getNsb",  # BUILD of a class
        f"c{VOCABULARY}\nCategoricalVocabulary\n".encode() + b"N}U\x03getNs\x86b",
        NAMED + b"}U\x08__code__Nsb",
        b"]}U\x05itemsNsb",  # BUILD of a list
        b"ccollections\ndefaultdict\n" + NAMED + b"\x85R}U\x0f__missing__Nsb",
        b"cnumpy\ndtype\nU\x02O8K\x00K\x01\x87R",
        b"cnumpy\ndtype\nU\x02i8K\x00K\x01\x87R(K\x03U\x01>NNNtb",
        b"cnumpy.core.multiarray\n_reconstruct\n)R",
        b"c_codecs\nencode\nU\x01aU\x06rot_13\x86R",
        b"c_codecs\nencode\ncnumpy\ndtype\nU\x02i8\x85Rcnumpy\ndtype\nU\x02i8\x85R\x86R",
        b"(K\x01\x90",  # sets
        b"\x8f",
        b"(\x91",
    ],
)
def test_instructions_that_do_more_than_hold_data(tmp_path, instructions):
    copyreg.add_extension(__name__, "note_call", 0xF0)
    try:
        for data in [instructions + b".", *(processor_file(**{place: instructions}) for place in PLACES)]:
            refusal(tmp_path, data)
    finally:
        copyreg.remove_extension(__name__, "note_call", 0xF0)


@pytest.mark.parametrize("name", ["__class__", "__dict__", "transform", "save"])
@pytest.mark.parametrize("value", [b"N", b"U\x01a", b"]"])
def test_attributes_that_hide_those_of_the_class(tmp_path, name, value):
    data = processor_file(more=b"U" + bytes([len(name)]) + name.encode() + value)
    assert f"without an attribute '{name}'" in refusal(tmp_path, data)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "value", [b"cos\nsystem\n", b"]", b"}", b"(K\x01t", b"U\x01", b"0", b"R", b"b", b"u", b"t", b""]
)
def test_values_of_other_kinds(tmp_path, place, value):
    if (place, value) != ("more", b""):
        refusal(tmp_path, processor_file(**{place: value}))


@pytest.mark.parametrize(
    "data",
    [
        b"r\xff\xff\xff\xff",
        b"Nr\xff\xff\xff\xff",
        b"X\xff\xff\xff\xffa",
        b"B\xff\xff\xff\xffa",
        b"T\xff\xff\xff\x7fa",
        b"\x8d" + b"\xff" * 8 + b"a",
        b"\x8e" + b"\xff" * 8 + b"a",
        b"\x95" + b"\xff" * 8,
        b"\x8b\xff\xff\xff\x7f",
        b"I" + b"9" * 100_000 + b"\n",
        b"L" + b"9" * 100_000 + b"L\n",
        b"p" + b"9" * 100_000 + b"\n",
        b"(" * 100_000,
        b"]" * 100_000,
        b"}" * 100_000,
        b"]" + b"2a" * 100_000,
        b")" + b"q\x00h\x00\x86" * 1000,
        b"]q\x00" + b"h\x00a" * 1000,
        b"}q\x00" + b"Nh\x00s" * 1000 + b"N",
        f"c{TEXT}\nVocabularyProcessor\n".encode() + b"q\x00" + b"h\x00)\x81" * 1000,
        b"}(" + b"".join(b"\x8a\x0c" + (i * (2**61 - 1)).to_bytes(12, "little") + b"N" for i in range(2000)) + b"u",
        b"}(" + b"".join(b"J" + i.to_bytes(4, "little") + b"K\x00\x86N" for i in range(2000)) + b"u",
    ],
    ids=lambda data: repr(data[:12]),
)
def test_small_files_take_little_memory(tmp_path, data):
    tracemalloc.start()
    try:
        refusal(tmp_path, data + b".")
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


SOUND = [*(file.read_bytes() for file in sorted(FILES.iterdir())), processor_file()]


@pytest.mark.parametrize("data", SOUND, ids=range(len(SOUND)))
def test_files_that_end_early(tmp_path, data):
    for end in range(len(data)):
        refusal(tmp_path, data[:end])


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused(data):
    damaged = bytearray(data.draw(st.sampled_from(SOUND)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    try:
        kind, attributes = read_processor(bytes(damaged), VocabularyProcessor)
    except pickle.UnpicklingError:
        return
    assert type(kind) is Name
    assert type(attributes["vocabulary_"]) is CategoricalVocabulary


PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
)
WORDS = PLAIN | st.lists(st.text() | st.binary()).map(tuple)
DATA = WORDS | st.lists(WORDS) | st.dictionaries(WORDS, WORDS | st.lists(WORDS, max_size=3), max_size=20)


@given(DATA, st.integers(0, 4))
def test_plain_data_is_read_as_pickle_reads_it(value, protocol):
    assert decode(pickle.dumps(value, protocol)) == value

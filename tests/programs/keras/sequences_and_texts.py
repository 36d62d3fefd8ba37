"""tf.keras.preprocessing: sequences and texts."""

import json
import random

import numpy as np
import tensorflow as tf

results = {}
sequence = tf.keras.preprocessing.sequence
text = tf.keras.preprocessing.text


def told(function):
    """What an error says it is."""
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


lists = [[1], [2, 3, 4], [5, 6, 7, 8, 9]]
for padding in ("pre", "post"):
    for truncating in ("pre", "post"):
        for maxlen in (None, 3):
            results["pad %s %s %s" % (padding, truncating, maxlen)] = sequence.pad_sequences(
                lists, maxlen=maxlen, padding=padding, truncating=truncating, value=-1.0
            )
results["pad float"] = sequence.pad_sequences(lists, dtype="float32", value=0.5)
results["pad vectors"] = sequence.pad_sequences([[[1, 2]], [[3, 4], [5, 6]]])
results["pad texts"] = [list(row) for row in sequence.pad_sequences([["a"], ["bc", "d"]], dtype=object, value="-")]
results["pad empty"] = sequence.pad_sequences([[], [1]])
results["pad errors"] = [
    told(lambda: sequence.pad_sequences([1, 2])),
    told(lambda: sequence.pad_sequences(3)),
    told(lambda: sequence.pad_sequences(lists, padding="x")),
    told(lambda: sequence.pad_sequences(lists, maxlen=2, truncating="x")),
    told(lambda: sequence.pad_sequences(lists, value="x")),
    told(lambda: sequence.pad_sequences([[[1, 2]], [[3]]])),
]
results["sampling table"] = sequence.make_sampling_table(50)
results["sampling table of more"] = sequence.make_sampling_table(20, 1e-3)

for seed, arguments in enumerate(
    [
        {},
        {"window_size": 1, "negative_samples": 0.0},
        {"categorical": True},
        {"shuffle": False},
        {"seed": 5},
        {"sampling_table": sequence.make_sampling_table(12, 0.1)},
        {"negative_samples": 2.5, "window_size": 2},
    ]
):
    random.seed(seed)
    couples, labels = sequence.skipgrams([1, 2, 0, 3, 4, 5, 11], 12, **arguments)
    if "seed" in arguments or not arguments.get("shuffle", True):
        results["skipgrams %d" % seed] = [couples, labels]
    # The seed that shuffling draws by itself is not the same in all versions of Python.
    results["skipgrams sorted %d" % seed] = sorted([list(c) + [str(label)] for c, label in zip(couples, labels)])

data = np.arange(40).reshape(20, 2)
for number, arguments in enumerate(
    [
        {},
        {"sampling_rate": 2, "stride": 3},
        {"start_index": 2, "end_index": 15, "batch_size": 4},
        {"reverse": True, "batch_size": 3},
        {"shuffle": True, "batch_size": 5},
    ]
):
    np.random.seed(number)
    series = sequence.TimeseriesGenerator(data, np.arange(20) * 10, length=4, **arguments)
    results["series %d" % number] = [len(series)] + [list(series[i]) for i in range(len(series))]
    results["series config %d" % number] = series.get_config()
results["series json"] = json.loads(sequence.TimeseriesGenerator([1, 2, 3, 4], [1, 2, 3, 4], 2).to_json())
results["series errors"] = [
    told(lambda: sequence.TimeseriesGenerator(data, np.arange(3), length=2)),
    told(lambda: sequence.TimeseriesGenerator(data, np.arange(20), length=30)),
]

texts = ["The cat sat on the mat!", "A dog\tsat; a Cat ran.", "", "the END (of it)", "Ünï cödé the"]
results["words"] = [text.text_to_word_sequence(one) for one in texts]
results["words otherwise"] = [text.text_to_word_sequence(one, filters="t", lower=False, split="a") for one in texts]
results["words of longer splits"] = text.text_to_word_sequence("a, b; c", filters=",;", split="::")
results["md5"] = [text.hashing_trick(one, 50, hash_function="md5") for one in texts]
results["own hash"] = [text.hashing_trick(one, 50, hash_function=len) for one in texts]
results["one hot range"] = [min(text.one_hot(texts[0], 7)) >= 1, max(text.one_hot(texts[0], 7)) < 7]

for number, arguments in enumerate(
    [
        {},
        {"num_words": 4},
        {"num_words": 5, "oov_token": "?"},
        {"oov_token": "the"},
        {"char_level": True, "num_words": 8},
        {"lower": False, "filters": "."},
    ]
):
    made = text.Tokenizer(**arguments)
    made.fit_on_texts(texts)
    made.fit_on_texts([["Own", "words", "the"]])
    name = "tokenizer %d " % number
    results[name + "index"] = made.word_index
    results[name + "counts"] = dict(made.word_counts)
    results[name + "documents"] = [dict(made.word_docs), sorted(made.index_docs.items()), made.document_count]
    new = texts[:2] + ["unheard of cat"]
    numbers = made.texts_to_sequences(new)
    results[name + "numbers"] = numbers
    results[name + "texts"] = made.sequences_to_texts(numbers + [[1, 99]])
    for mode in ("binary", "count", "freq", "tfidf"):
        results[name + mode] = made.texts_to_matrix(new, mode=mode)
    config = made.get_config()
    results[name + "config"] = {
        key: json.loads(value) if key.startswith(("word_", "index_")) else value for key, value in config.items()
    }
fitted = text.Tokenizer(num_words=6)
fitted.fit_on_sequences([[1, 2, 2], [3, 2]])
results["fitted on numbers"] = fitted.sequences_to_matrix([[1, 2, 2, 5]], mode="tfidf")
results["tokenizer errors"] = [
    told(lambda: text.Tokenizer(x=1)),
    told(lambda: text.Tokenizer().sequences_to_matrix([[1]])),
    told(lambda: text.Tokenizer(num_words=3).sequences_to_matrix([[1]], mode="tfidf")),
    told(lambda: text.Tokenizer(num_words=3).sequences_to_matrix([[1]], mode="x")),
]

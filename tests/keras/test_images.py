"""Images in files and folders, and their transformations."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

image = tf.keras.preprocessing.image
PICTURE = np.random.RandomState(0).randint(0, 256, (8, 6, 3)).astype("uint8")

pytest.importorskip("PIL")


@pytest.fixture
def folder(tmp_path):
    for kind in ("cats", "dogs"):
        (tmp_path / kind / "more").mkdir(parents=True)
        for i in range(3):
            image.save_img(str(tmp_path / kind / f"{i}.png"), np.roll(PICTURE, i, 0), scale=False)
        image.save_img(str(tmp_path / kind / "more" / "z.png"), PICTURE, scale=False)
        (tmp_path / kind / "note.txt").write_text("no image")
    return tmp_path


def test_files(tmp_path):
    path = str(tmp_path / "a.png")
    image.save_img(path, PICTURE, scale=False)
    np.testing.assert_array_equal(image.img_to_array(image.load_img(path)), PICTURE)
    assert image.load_img(path, color_mode="grayscale").mode == "L"
    assert image.load_img(path, color_mode="rgba", target_size=(3, 5)).size == (5, 3)
    with pytest.raises(ValueError, match="color_mode"):
        image.load_img(path, color_mode="x")
    with pytest.raises(ValueError, match="Invalid interpolation"):
        image.load_img(path, target_size=(3, 3), interpolation="x")
    with pytest.raises(ValueError, match="channel number: 2"):
        image.array_to_img(np.zeros((2, 2, 2)))


def test_folders(folder):
    batches = image.ImageDataGenerator(rescale=1 / 255).flow_from_directory(
        str(folder), target_size=(8, 6), batch_size=5, shuffle=False
    )
    assert batches.class_indices == {"cats": 0, "dogs": 1}
    assert (batches.samples, len(batches)) == (8, 2)
    x, y = batches[0]
    assert y.tolist() == [[1, 0]] * 4 + [[0, 1]]
    np.testing.assert_allclose(x[0], PICTURE / 255, rtol=1e-6)


@pytest.mark.parametrize("mode", ["sparse", "binary", "input", None])
def test_modes(folder, mode):
    batches = image.ImageDataGenerator().flow_from_directory(
        str(folder), target_size=(8, 6), class_mode=mode, shuffle=False
    )
    batch = next(batches)
    if mode is None:
        assert batch.shape == (8, 8, 6, 3)
    else:
        np.testing.assert_array_equal(batch[1], batch[0] if mode == "input" else [0] * 4 + [1] * 4)


def test_parts(folder):
    made = image.ImageDataGenerator(validation_split=0.25)
    sizes = {part: made.flow_from_directory(str(folder), subset=part).samples for part in ("training", "validation")}
    assert sizes == {"training": 6, "validation": 2}


def test_tables(folder):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"name": ["cats/0.png", "dogs/1.png", "gone.png"], "kind": ["a", "b", "a"], "size": [1.5, 2.5, 3.5]}
    )
    made = image.ImageDataGenerator()
    batches = made.flow_from_dataframe(table, str(folder), "name", "kind", target_size=(8, 6), shuffle=False)
    assert next(batches)[1].tolist() == [[1, 0], [0, 1]]
    raw = made.flow_from_dataframe(table, str(folder), "name", "size", class_mode="raw", shuffle=False)
    assert next(raw)[1].tolist() == [1.5, 2.5]
    with pytest.raises(TypeError, match="y_col must be a list"):
        made.flow_from_dataframe(table, str(folder), "name", "size", class_mode="multi_output")


def test_affine_transformations():
    pytest.importorskip("scipy")
    square = np.arange(75, dtype="float32").reshape(5, 5, 3)
    # The centre lies half a point below and to the right of the middle, as in Keras.
    turned = image.apply_affine_transform(square, theta=90, fill_mode="constant", cval=-1)
    np.testing.assert_allclose(turned[:, 2:], np.rot90(square, -1)[:, :3], atol=1e-3)
    shifted = image.apply_affine_transform(square, tx=1, fill_mode="constant", cval=-1)
    np.testing.assert_allclose(shifted[:4], square[1:])
    np.testing.assert_allclose(shifted[4], -1)
    assert image.apply_affine_transform(square) is square
    np.testing.assert_allclose(image.apply_affine_transform(np.full((6, 6, 1), 7.0), zx=0.5, shear=10), 7.0)


def test_whitening():
    pytest.importorskip("scipy")
    pictures = np.random.RandomState(1).normal(size=(500, 2, 2, 1))
    pictures[..., 1, 0] += pictures[..., 0, 0]
    made = image.ImageDataGenerator(zca_whitening=True)
    made.fit(pictures)
    white = np.stack([made.standardize(np.copy(one)) for one in pictures]).reshape(500, 4)
    np.testing.assert_allclose(white.T @ white / 500, np.eye(4), atol=1e-4)


def test_without_transformations_nothing_else_is_needed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy", None)
    flow = image.ImageDataGenerator(horizontal_flip=True).flow(PICTURE[None], batch_size=1, seed=1)
    assert next(flow).shape == (1, 8, 6, 3)
    with pytest.raises(ImportError, match="SciPy"):
        image.random_rotation(PICTURE, 20)


def trained_on(batches, validated, **queue):
    with tf.Graph().as_default(), tf.Session().as_default():
        layers = tf.keras.layers
        model = tf.keras.Sequential([layers.Flatten(input_shape=(8, 6, 3)), layers.Dense(2, activation="softmax")])
        model.compile("sgd", "categorical_crossentropy", metrics=["acc"])
        return model.fit_generator(batches, epochs=2, validation_data=validated, verbose=0, **queue).history


@pytest.mark.parametrize("in_processes", [False, True], ids=["threads", "processes"])
def test_training_on_folders(folder, in_processes):
    made = image.ImageDataGenerator(rescale=1 / 255, horizontal_flip=True, validation_split=0.25)
    parts = [
        made.flow_from_directory(str(folder), target_size=(8, 6), batch_size=2, subset=part)
        for part in ("training", "validation")
    ]
    history = trained_on(*parts, workers=2, use_multiprocessing=in_processes)
    assert {name: len(values) for name, values in history.items()} == dict.fromkeys(
        ("loss", "acc", "val_loss", "val_acc"), 2
    )


def test_training_on_a_table(folder):
    pandas = pytest.importorskip("pandas")
    names = [f"{kind}/{i}.png" for kind in ("cats", "dogs") for i in range(3)]
    table = pandas.DataFrame({"name": names, "kind": [name[:4] for name in names]})
    made = image.ImageDataGenerator(rescale=1 / 255)
    batches = made.flow_from_dataframe(table, str(folder), "name", "kind", target_size=(8, 6), batch_size=4)
    assert (len(batches), batches.class_indices) == (2, {"cats": 0, "dogs": 1})
    history = trained_on(batches, next(batches), workers=1)
    assert np.isfinite([*history["loss"], *history["val_loss"]]).all()

"""What Pillow, SciPy and Python have dropped, as the runner gives it back."""

import importlib
import importlib.util
import subprocess
import sys
import warnings

import numpy as np
import pytest
from PIL import Image

from headrace.shim import old_distutils, old_imp
from headrace.shim.old_images import bytescale, fromimage, imread, imresize, imrotate, imsave, toimage

PROGRAM = """
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import integrate, linalg, misc, signal
from scipy.misc import imresize
import scipy

print(np.lib.pad([1.0], 1, "constant").tolist(), np.lib.unique([2, 2]).tolist())
small = Image.fromarray(np.zeros((4, 6, 3), np.uint8)).resize((3, 2), Image.ANTIALIAS)
print(small.size, ImageDraw.Draw(small).textsize("") , ImageFont.load_default().getsize("")[0])
print(imresize(np.zeros((4, 6)), 0.5).shape, round(misc.logsumexp([0.0, 0.0]), 3), misc.comb(4, 2))
print(integrate.trapz([1, 2, 3]), integrate.simps([1, 2, 3]), len(signal.hann(4)), linalg.pinv2(np.eye(2)).tolist())
print(scipy.array([1, 2]).sum(), scipy.sqrt(-1))
import imp, distutils.version
print(imp.new_module("x").__name__, distutils.version.LooseVersion("1.15.5") > "1.4")
"""
PRINTED = """\
[0.0, 1.0, 0.0] [2]
(3, 2) (0, 0) 0
(2, 3) 0.693 6.0
4.0 4.0 4 [[1.0, 0.0], [0.0, 1.0]]
3 1j
x True
"""


def test_programs_find_what_libraries_dropped(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-W", "ignore", "-m", "headrace", str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.replace("[[1.0, -0.0]", "[[1.0, 0.0]"), done.returncode) == (PRINTED, 0), done.stderr


@pytest.mark.parametrize(
    ("data", "scaled"),
    [
        ([0.0, 0.5, 1.0], [0, 128, 255]),
        ([-1.0, 0.0, 3.0], [0, 64, 255]),
        ([4.0, 4.0], [0, 0]),
    ],
)
def test_numbers_become_bytes_over_their_range(data, scaled):
    assert bytescale(np.array(data)).tolist() == scaled
    assert bytescale(np.array([3, 4], np.uint8)).tolist() == [3, 4]


def test_bytes_between_given_values():
    assert bytescale(np.array([0.0, 5.0, 20.0]), cmin=0, cmax=10, low=50, high=150).tolist() == [50, 100, 150]
    with pytest.raises(ValueError, match="cmax"):
        bytescale(np.array([1.0]), cmin=2, cmax=1)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (5, 7, 4)])
def test_an_image_comes_back_from_a_file(tmp_path, shape):
    pixels = np.random.RandomState(0).randint(0, 256, shape).astype(np.uint8)
    imsave(str(tmp_path / "image.png"), pixels)
    np.testing.assert_array_equal(imread(str(tmp_path / "image.png")), pixels)


def test_colours_become_grey_by_their_weights(tmp_path):
    imsave(str(tmp_path / "image.png"), np.full((2, 2, 3), [255, 0, 0], np.uint8))
    grey = imread(str(tmp_path / "image.png"), flatten=True)
    assert grey.dtype == np.float32
    np.testing.assert_allclose(grey, 255 * 0.299, atol=0.5)  # ITU-R 601-2


@pytest.mark.parametrize(("size", "shape"), [(50, (2, 4)), (0.5, (2, 4)), ((3, 5), (3, 5)), (np.float64(2), (8, 16))])
def test_images_are_made_larger_and_smaller(size, shape):
    pixels = np.arange(32, dtype=np.uint8).reshape(4, 8)
    resized = imresize(pixels, size)
    assert resized.shape == shape
    expected = Image.fromarray(pixels).resize(shape[::-1], Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(resized, fromimage(expected))


def test_a_quarter_turn_of_a_square_moves_its_corners():
    pixels = np.array([[0, 50], [100, 255]], np.uint8)
    np.testing.assert_array_equal(imrotate(pixels, 90, "nearest"), np.rot90(pixels))


def test_arrays_that_are_no_images_are_refused():
    for wrong in (np.zeros(3), np.zeros((2, 2, 2)), np.zeros((2, 2), complex)):
        with pytest.raises(ValueError, match=r"axes|complex"):
            toimage(wrong)
    with pytest.raises(ValueError, match="does not fit"):
        toimage(np.zeros((2, 2, 3)), mode="L")


def test_modules_are_found_and_loaded_by_hand(tmp_path):
    (tmp_path / "found_by_hand.py").write_text("VALUE = 3\n")
    package = tmp_path / "package_by_hand"
    package.mkdir()
    (package / "__init__.py").write_text("VALUE = 4\n")
    for name, value in (("found_by_hand", 3), ("package_by_hand", 4)):
        file, path, details = old_imp.find_module(name, [str(tmp_path)])
        module = old_imp.load_module(name, file, path, details)
        assert value == module.VALUE
        assert sys.modules.pop(name) is module
        if file is not None:
            file.close()
    assert old_imp.load_source("other", str(tmp_path / "found_by_hand.py")).__name__ == "other"
    del sys.modules["other"]
    with pytest.raises(ImportError, match="nowhere"):
        old_imp.find_module("nowhere", [str(tmp_path)])


def test_a_module_that_fails_is_not_kept(tmp_path):
    (tmp_path / "failing.py").write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        old_imp.load_source("failing_by_hand", str(tmp_path / "failing.py"))
    assert "failing_by_hand" not in sys.modules


@pytest.mark.skipif(importlib.util.find_spec("imp") is None, reason="Python has had no imp since 3.12")
def test_it_says_what_that_of_python_says():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        imp = importlib.import_module("imp")
    assert old_imp.get_suffixes() == imp.get_suffixes()
    assert old_imp.get_tag() == imp.get_tag()
    assert old_imp.find_module("sys")[2] == imp.find_module("sys")[2]
    found = old_imp.find_module("this"), imp.find_module("this")
    for file, *_ in found:
        file.close()
    assert found[0][1:] == found[1][1:]


def test_versions_compare_part_by_part():
    loose, strict = old_distutils.LooseVersion, old_distutils.StrictVersion
    assert loose("1.4.0") < loose("1.12.0") < "1.15.5" <= loose("2.0")
    assert loose("1.15") == "1.15"
    assert strict("1.0a1") < strict("1.0b1") < strict("1.0") == "1.0.0"
    assert (str(loose("1.x")), repr(strict("1.2"))) == ("1.x", "StrictVersion ('1.2')")
    with pytest.raises(ValueError, match="invalid version"):
        strict("1.x")


def test_words_mean_yes_and_no():
    assert [old_distutils.strtobool(word) for word in ("Yes", "on", "0", "F")] == [1, 1, 0, 0]
    with pytest.raises(ValueError, match="maybe"):
        old_distutils.strtobool("maybe")

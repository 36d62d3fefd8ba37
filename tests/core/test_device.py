"""Device names against TensorFlow 1.15: reading, writing, merging."""

import pytest

from headrace.core.device import DeviceSpec, canonical_name, is_device_spec, merge_device, merged_name

CANONICAL = [
    ("/gpu:0", "/device:GPU:0"),
    ("/device:GPU:0", "/device:GPU:0"),
    ("/CPU:0", "/device:CPU:0"),
    ("/Gpu:1", "/device:GPU:1"),
    ("/device:gpu:1", "/device:GPU:1"),
    ("gpu:0", "/device:GPU:0"),
    ("cpu", "/device:CPU:*"),
    ("/gpu", "/device:GPU:*"),
    ("/gpu:*", "/device:GPU:*"),
    ("/device:XLA_CPU:0", "/device:XLA_CPU:0"),
    ("/device:tpu:1", "/device:tpu:1"),
    ("/job:ps/task:1/cpu:0", "/job:ps/task:1/device:CPU:0"),
    ("/job:ps/replica:2/task:1/device:GPU:*", "/job:ps/replica:2/task:1/device:GPU:*"),
    ("/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0"),
    ("/job:a/job:b", "/job:b"),
    ("/job:*", "/job:*"),
    ("", ""),
    ("/", ""),
]


@pytest.mark.parametrize(("text", "full"), CANONICAL)
def test_names_read_and_written(text, full):
    spec = DeviceSpec.from_string(text)
    assert spec.to_string() == full
    assert canonical_name(text) == canonical_name(spec) == full
    assert DeviceSpec.from_string(full) == spec


WRONG = [
    ("/device:GPU", "Unknown attribute: 'device' in '/device:GPU'"),
    ("/device:GPU:0:1", "Unknown attribute: 'device' in '/device:GPU:0:1'"),
    ("/foo:1", "Unknown attribute: 'foo' in '/foo:1'"),
    ("/tpu:0", "Unknown attribute: 'tpu' in '/tpu:0'"),
    ("/job:ps:1", "Unknown attribute: 'job' in '/job:ps:1'"),
    ("/replica", "Unknown attribute: 'replica' in '/replica'"),
    ("/task:x", "invalid literal for int"),
    ("/replica:0/task:*", "invalid literal for int"),
    ("/gpu:x", "invalid literal for int"),
    ("/gpu:0/cpu:0", "Cannot specify multiple device types: /gpu:0/cpu:0"),
    ("/gpu:0/device:GPU:1", "Cannot specify multiple device types"),
]


@pytest.mark.parametrize(("text", "problem"), WRONG)
def test_wrong_names(text, problem):
    for read in (DeviceSpec.from_string, canonical_name, merge_device):
        with pytest.raises(ValueError, match=problem):
            read(text)


def test_what_is_no_name_at_all():
    for read in (DeviceSpec.from_string, canonical_name, merge_device):
        with pytest.raises(AttributeError, match="got 3"):
            read(3)


@pytest.mark.parametrize(
    ("parts", "full"),
    [
        ({}, ""),
        ({"job": "ps", "task": 1}, "/job:ps/task:1"),
        ({"job": 3}, "/job:3"),
        ({"job": "w", "replica": 0, "task": "2", "device_type": "GPU", "device_index": "3"},
         "/job:w/replica:0/task:2/device:GPU:3"),
        ({"device_type": "gpu", "device_index": 0}, "/device:GPU:0"),
        ({"device_type": "Gpu"}, "/device:Gpu:*"),
        ({"device_type": "tpu"}, "/device:tpu:*"),
        ({"device_index": 3}, ""),
    ],
)  # fmt: skip
def test_specs_from_parts(parts, full):
    spec = DeviceSpec(**parts)
    assert spec.to_string() == full
    # Comparable, and as a dictionary's key.
    assert spec == DeviceSpec(**parts)
    assert hash(spec) == hash(DeviceSpec(**parts))
    assert spec != DeviceSpec(job="another")


def test_parts_are_read_as_what_they_are():
    spec = DeviceSpec.from_string("/job:ps/replica:1/task:2/gpu:3")
    assert (spec.job, spec.replica, spec.task) == ("ps", 1, 2)
    assert (spec.device_type, spec.device_index) == ("GPU", 3)
    assert DeviceSpec.from_string("/gpu:*").device_index is None
    assert repr(spec) == "DeviceSpec(job='ps', replica=1, task=2, device_type='GPU', device_index=3)"
    assert DeviceSpec(job="a") != "/job:a"
    assert is_device_spec(spec)
    assert not is_device_spec("/gpu:0")


def test_parts_can_be_set():
    spec = DeviceSpec.from_string("/gpu:0")
    spec.job, spec.task, spec.device_type, spec.device_index = "ps", "3", "cpu", "1"
    assert spec.to_string() == "/job:ps/task:3/device:CPU:1"
    with pytest.raises(ValueError):
        spec.replica = "x"


MERGES = [
    ("/job:ps", "/gpu:0", "/job:ps/device:GPU:0"),
    ("/job:ps/gpu:0", "/job:w/cpu:1", "/job:w/device:CPU:1"),
    ("/gpu:0", "/cpu:1", "/device:CPU:1"),
    ("/cpu:0", "/device:GPU:*", "/device:GPU:0"),
    ("/gpu:1", "/gpu:*", "/device:GPU:1"),
    ("/job:w/gpu:0", "/job:ps", "/job:ps/device:GPU:0"),
    ("/job:ps/cpu:0", "/task:1", "/job:ps/task:1/device:CPU:0"),
    ("/gpu:0", "", "/device:GPU:0"),
    ("", "/gpu:0", "/device:GPU:0"),
]


@pytest.mark.parametrize(("current", "inner", "merged"), MERGES)
def test_merging(current, inner, merged):
    spec = DeviceSpec.from_string(current)
    assert spec.make_merged_spec(DeviceSpec.from_string(inner)).to_string() == merged
    assert spec == DeviceSpec.from_string(current)
    assert spec.merge_from(DeviceSpec.from_string(inner)) is None
    assert spec.to_string() == merged
    assert merged_name(current, inner) == merged

    class Node:
        device = inner

    # What the node states already wins over the scopes around it.
    for stated in (current, DeviceSpec.from_string(current)):
        assert merge_device(stated)(Node).to_string() == merged


def test_a_merge_of_nothing():
    class Node:
        device = None

    assert merge_device(None)(Node).to_string() == ""
    assert canonical_name(None) == ""


def test_merging_keeps_an_index_that_does_not_show():
    spec = DeviceSpec(job="a")
    spec.merge_from(DeviceSpec(device_index=3))
    assert spec.to_string() == "/job:a"
    assert spec.device_index == 3


def test_parse_from_string_forgets_what_was_known():
    spec = DeviceSpec.from_string("/gpu:0")
    assert spec.parse_from_string("/job:a") is spec
    assert spec.to_string() == "/job:a"
    with pytest.raises(ValueError):
        spec.parse_from_string("/foo:1")
    assert spec.to_string() == "/job:a"


def test_replace():
    assert DeviceSpec.from_string("/gpu:0").replace(job="x", device_index=None).to_string() == "/job:x/device:GPU:*"
    with pytest.raises(TypeError):
        DeviceSpec().replace(foo=1)

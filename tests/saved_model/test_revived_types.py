"""Kinds of objects of SavedModels; what versions read is as in TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.core.eager import eager_mode
from headrace.saved_model import revived_types
from headrace.saved_model.revived_types import VersionedTypeRegistration


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch):
    monkeypatch.setattr(revived_types, "_kinds", {})


class _Kept(AutoTrackable):
    pass


def _register():
    revived_types.register_revived_type(
        "kept",
        lambda value: isinstance(value, _Kept),
        versions=[
            VersionedTypeRegistration(lambda _: "first", 1, 1, 1),
            VersionedTypeRegistration(lambda proto: ("second", proto.version.producer), 2, 1, 1, bad_consumers=[7]),
        ],
    )


def test_versions():
    _register()
    assert revived_types.registered_identifiers() == ["kept"]
    assert revived_types.serialize(3) is None
    described = revived_types.serialize(_Kept())
    version = described.version
    assert (version.producer, version.min_consumer, list(version.bad_consumers)) == (2, 1, [7])
    assert revived_types.deserialize(described) == (("second", 2), setattr)
    version.producer = 9
    assert revived_types.deserialize(described)[0] == ("second", 9)
    version.min_consumer = 3
    assert revived_types.deserialize(described) is None
    version.min_consumer = 0
    version.bad_consumers.append(2)
    assert revived_types.deserialize(described)[0] == "first"
    described.identifier = "another"
    assert revived_types.deserialize(described) is None


def test_registrations_that_are_refused():
    _register()
    one = [VersionedTypeRegistration(lambda _: 1, 1, 1, 1)]
    with pytest.raises(AssertionError, match="Duplicate registrations for type 'kept'"):
        revived_types.register_revived_type("kept", lambda _: False, one)
    with pytest.raises(AssertionError, match="only be made once"):
        revived_types.register_revived_type("other", lambda _: False, one)
    with pytest.raises(AssertionError, match="at least one version"):
        revived_types.register_revived_type("other", lambda _: False, [])
    two = [VersionedTypeRegistration(lambda _: 1, 1, 1, 1) for _ in range(2)]
    with pytest.raises(AssertionError, match="multiple registrations with version 1"):
        revived_types.register_revived_type("other", lambda _: False, two)


def test_objects_come_back_as_their_kind(tmp_path):
    revived_types.register_revived_type(
        "kept", lambda value: isinstance(value, _Kept), [VersionedTypeRegistration(lambda _: _Kept(), 1, 1, 1)]
    )
    with eager_mode():
        root = AutoTrackable()
        root.kept = _Kept()
        root.kept.v = tf.Variable(3.0)
        tf.saved_model.save(root, str(tmp_path / "model"))
        again = tf.compat.v2.saved_model.load(str(tmp_path / "model"))
        assert type(again.kept) is _Kept
        assert again.kept.v.numpy() == 3.0

"""What programs call of the C library, and the devices of this machine."""

import pytest

import headrace as tf

pywrap = tf.pywrap_tensorflow


def test_events_writer(tmp_path):
    writer = pywrap.EventsWriter(str(tmp_path / "progress").encode())
    assert list(tmp_path.iterdir()) == []
    value = tf.Summary.Value(tag="loss", simple_value=2.0)
    writer.WriteEvent(tf.Event(wall_time=1.0, step=3, summary=tf.Summary(value=[value])))
    name = writer.FileName().decode()
    assert pywrap.TF_GetCode(writer.Flush()) == pywrap.TF_OK
    writer.Close()
    assert name.startswith(str(tmp_path / "progress.out.tfevents."))
    events = list(tf.train.summary_iterator(name))
    assert [event.step for event in events] == [0, 3]
    assert events[0].file_version == "brain.Event:2"
    assert events[1].summary.value[0].simple_value == 2.0


@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_records(tmp_path, kind):
    path = str(tmp_path / "records")
    writer = pywrap.PyRecordWriter_New(path, kind)
    writer.WriteRecord(b"one")
    writer.Close()
    reader = pywrap.PyRecordReader_New(path, 0, kind)
    reader.GetNext()
    assert reader.record() == b"one"
    with pytest.raises(tf.errors.OutOfRangeError):
        reader.GetNext()
    with pytest.raises(NotImplementedError, match="start_offset"):
        pywrap.PyRecordReader_New(path, 4, kind)


def test_statuses():
    with tf.errors.raise_exception_on_not_ok_status() as status:
        assert pywrap.TF_Message(status) == ""
    with (
        pytest.raises(tf.errors.NotFoundError, match="no such"),
        tf.errors.raise_exception_on_not_ok_status() as status,
    ):
        pywrap.TF_SetStatus(status, pywrap.TF_NOT_FOUND, "no such file")


def test_devices():
    from headrace.devices.listing import list_local_devices
    from headrace.messages import protos

    found = list_local_devices()
    assert (found[0].name, found[0].device_type) == ("/device:CPU:0", "CPU")
    assert found == list_local_devices()
    assert protos.DeviceAttributes.FromString(pywrap.list_devices()[0]) == found[0]
    assert "memory_limit: 268435456" in str(found[0])


def test_events_are_events(tmp_path):
    with pytest.raises(TypeError, match=r"Expected an event_pb2\.Event proto"):
        pywrap.EventsWriter(str(tmp_path / "progress").encode()).WriteEvent("event")


def test_the_type_of_bfloat16():
    assert pywrap.TF_bfloat16_type() is tf.bfloat16.as_numpy_dtype

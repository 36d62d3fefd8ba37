"""Where workers that train one model together write what only one of them is to keep."""

import pytest

import headrace as tf
from headrace.distribute.coordinator_worker import CoordinatedWorker


def _train(worker, folder, **settings):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        following = tf.assign_add(step, 1)
        with worker, tf.train.MonitoredTrainingSession(checkpoint_dir=str(folder), **settings) as session:
            for _ in range(4):
                session.run(following)


def _worker(is_chief):
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    strategy.extended._is_chief = is_chief
    return CoordinatedWorker(strategy, None, "worker", 1)


@pytest.mark.parametrize("is_chief", [True, False])
def test_all_workers_save_where_collectives_may_wait_for_them(tmp_path, is_chief):
    _train(_worker(is_chief), tmp_path, save_checkpoint_steps=2)
    kept, scratch = (tf.train.latest_checkpoint(str(folder)) for folder in (tmp_path, tmp_path / "tmp_worker_1"))
    assert (kept is not None, scratch is not None) == (is_chief, not is_chief)


def test_such_workers_do_not_save_by_the_clock(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(tf.logging, "warning", lambda text, *values: said.append(text % values))
    monkeypatch.setattr("headrace.sessions.monitored_session.tf_logging.warning", tf.logging.warning)
    _train(_worker(True), tmp_path, save_checkpoint_secs=7)
    assert ["every 1000 steps instead of every 7 seconds" in text for text in said] == [True]


class _KeepsNothing:
    """A strategy of the program's own, which initializes and writes no files."""

    experimental_should_init = True
    should_checkpoint = should_save_summary = False

    @property
    def extended(self):
        return self


def test_other_workers_that_keep_nothing_write_nothing(tmp_path):
    _train(CoordinatedWorker(_KeepsNothing(), None, "worker", 1), tmp_path, save_checkpoint_steps=2)
    assert not list(tmp_path.iterdir())

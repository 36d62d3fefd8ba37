"""What workers meet when another one is killed, stands still or never comes."""

from __future__ import annotations

import signal


def test_a_worker_that_was_killed_is_missed_and_joins_again(start, tasks):
    first, second = (start("rounds", "9", TF_CONFIG=each) for each in tasks)
    assert first.heard() == second.heard() == {"total": [1.0, 3.0]}
    second.popen.kill()
    second.popen.wait()
    first.go_on()
    missed = first.heard()
    assert missed["error"] == "UnavailableError"
    assert "the connection to another member is lost" in missed["message"]
    second = start("rounds", "9", TF_CONFIG=tasks[1])
    first.go_on()
    assert first.heard() == {"total": [3.0, 3.0]}
    assert second.heard() == {"total": [3.0, 3.0]}


def test_a_worker_that_stands_still_meets_a_time_limit(start, tasks):
    first, second = (start("rounds", "9", TF_CONFIG=each, HEADRACE_COLLECTIVE_TIMEOUT_SECONDS="4") for each in tasks)
    assert first.heard() == second.heard() == {"total": [1.0, 3.0]}
    second.popen.send_signal(signal.SIGSTOP)
    first.go_on()
    missed = first.heard()
    assert missed["error"] == "DeadlineExceededError"
    assert "time" in missed["message"]


def test_a_worker_that_never_comes_meets_a_time_limit(start, tasks):
    alone = start("rounds", "1", TF_CONFIG=tasks[0], HEADRACE_COLLECTIVE_TIMEOUT_SECONDS="2")
    missed = alone.heard()
    assert missed["error"] == "DeadlineExceededError"
    assert "/job:worker/replica:0/task:0/device:CPU:0" in missed["message"]

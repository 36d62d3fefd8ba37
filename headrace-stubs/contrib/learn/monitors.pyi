# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['BaseMonitor', 'CaptureVariable', 'CheckpointSaver', 'EveryN', 'ExportMonitor', 'GraphDump', 'LoggingTrainable', 'NanLoss', 'NanLossDuringTrainingError', 'PrintTensor', 'RunHookAdapterForMonitors', 'SessionLog', 'StepCounter', 'StopAtStep', 'Summary', 'SummarySaver', 'ValidationMonitor', 'get_default_monitors', 'replace_monitors_with_hooks']
from headrace.contrib.learn.monitors import BaseMonitor as BaseMonitor
from headrace.contrib.learn.monitors import CaptureVariable as CaptureVariable
from headrace.contrib.learn.writing_monitors import CheckpointSaver as CheckpointSaver
from headrace.contrib.learn.monitors import EveryN as EveryN
from headrace.contrib.learn.writing_monitors import ExportMonitor as ExportMonitor
from headrace.contrib.learn.writing_monitors import GraphDump as GraphDump
from headrace.contrib.learn.monitors import LoggingTrainable as LoggingTrainable
from headrace.contrib.learn.monitors import NanLoss as NanLoss
from headrace.sessions.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from headrace.contrib.learn.monitors import PrintTensor as PrintTensor
from headrace.contrib.learn.monitor_hooks import RunHookAdapterForMonitors as RunHookAdapterForMonitors
SessionLog: Any
from headrace.contrib.learn.writing_monitors import StepCounter as StepCounter
from headrace.contrib.learn.monitors import StopAtStep as StopAtStep
Summary: Any
from headrace.contrib.learn.writing_monitors import SummarySaver as SummarySaver
from headrace.contrib.learn.validation_monitor import ValidationMonitor as ValidationMonitor
from headrace.contrib.learn.writing_monitors import get_default_monitors as get_default_monitors
from headrace.contrib.learn.monitor_hooks import replace_monitors_with_hooks as replace_monitors_with_hooks

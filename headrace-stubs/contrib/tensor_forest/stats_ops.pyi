# Made by tools/make_stubs.py.

__all__ = ['FertileStatsVariable', 'FertileStatsVariableSavable', 'fertile_stats_variable']
from headrace.contrib.tensor_forest.stats_variable import FertileStatsVariable as FertileStatsVariable
from headrace.contrib.tensor_forest.stats_variable import FertileStatsVariableSavable as FertileStatsVariableSavable
from headrace.contrib.tensor_forest.stats_variable import fertile_stats_variable as fertile_stats_variable

# Made by tools/make_stubs.py.

from headrace.keras.estimator import model_to_estimator as model_to_estimator

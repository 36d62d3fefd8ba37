# Made by tools/make_stubs.py.

__all__ = ['Model', 'Sequential', 'clone_model', 'load_model', 'model_from_config', 'model_from_json', 'model_from_yaml', 'save_model']
from headrace.keras.models import Model as Model
from headrace.keras.models import Sequential as Sequential
from headrace.keras.models import clone_model as clone_model
from headrace.keras.saving.save import load_model as load_model
from headrace.keras.saving.model_config import model_from_config as model_from_config
from headrace.keras.saving.model_config import model_from_json as model_from_json
from headrace.keras.saving.model_config import model_from_yaml as model_from_yaml
from headrace.keras.saving.save import save_model as save_model

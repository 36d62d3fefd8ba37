"""A callable's signature as text, in which two implementations of one API can be compared.

Runs on Python 3.7 (the oracle's) and later, without TensorFlow and without Headrace. Defaults are told by what they
mean: a dtype of either library is `float32`, a function or class is its name, any other object the name of its class.
"""

import enum
import inspect

# What a method calls the object, or class, that it is called on.
RECEIVERS = ("self", "cls", "_cls", "instance")

_PARAMETER = inspect.Parameter
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def value_text(value):
    """What a default or a constant is, the same text whichever library made it."""
    if isinstance(value, enum.Enum):
        return "%s.%s" % (type(value).__name__, value.name)
    if type(value) in _PLAIN:
        return repr(value)
    if type(value).__name__ == "DType":
        return value.name
    if type(value) in (tuple, list):
        inner = ", ".join(value_text(item) for item in value)
        return "(%s)" % inner if isinstance(value, tuple) else "[%s]" % inner
    if type(value) is dict:
        return "{%s}" % ", ".join("%s: %s" % (value_text(key), value_text(value[key])) for key in value)
    if hasattr(value, "__name__"):
        return value.__name__
    return "<%s>" % type(value).__name__


def from_full_arg_spec(spec):
    """The `inspect.Signature` of what `inspect.getfullargspec`, or a function like it, gives."""
    parameters = []
    first_default = len(spec.args) - len(spec.defaults or ())
    for i, name in enumerate(spec.args):
        default = spec.defaults[i - first_default] if i >= first_default else _PARAMETER.empty
        parameters.append(_PARAMETER(name, _PARAMETER.POSITIONAL_OR_KEYWORD, default=default))
    if spec.varargs:
        parameters.append(_PARAMETER(spec.varargs, _PARAMETER.VAR_POSITIONAL))
    for name in spec.kwonlyargs or ():
        default = (spec.kwonlydefaults or {}).get(name, _PARAMETER.empty)
        parameters.append(_PARAMETER(name, _PARAMETER.KEYWORD_ONLY, default=default))
    if spec.varkw:
        parameters.append(_PARAMETER(spec.varkw, _PARAMETER.VAR_KEYWORD))
    return _without_checks(parameters)


def _without_checks(parameters):
    # Decorators may hand over an order that Python itself would refuse, such as a default before none.
    return inspect.Signature(parameters, __validate_parameters__=False)


def signature_text(signature):
    """`(x, axis=None, *, name=None)`: what a method is called on is left out, annotations too."""
    words, star = [], False
    for i, parameter in enumerate(signature.parameters.values()):
        if i == 0 and parameter.name in RECEIVERS:
            continue
        if parameter.kind is _PARAMETER.VAR_POSITIONAL:
            words.append("*" + parameter.name)
            star = True
            continue
        if parameter.kind is _PARAMETER.VAR_KEYWORD:
            words.append("**" + parameter.name)
            continue
        if parameter.kind is _PARAMETER.KEYWORD_ONLY and not star:
            words.append("*")
            star = True
        given = parameter.default is not _PARAMETER.empty
        words.append(parameter.name + ("=" + value_text(parameter.default) if given else ""))
    return "(%s)" % ", ".join(words)

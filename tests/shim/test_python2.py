"""Python-2 sources: what they print must be what Python 2 printed (the expected values are Python 2.7's)."""

import ast
import contextlib
import io
import pickle
import traceback

import pytest

from headrace.shim.python2 import compile_source, parse_source
from headrace.shim.python2_evidence import may_be_python2, python2_evidence


def run(text, path="old.py", **names):
    data = text if isinstance(text, bytes) else text.encode()
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        exec(compile_source(data, path), {"__name__": "__main__", **names})
    return out.getvalue()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("print 'a', 1,\nprint 'b'", "a 1 b\n"),
        ("print\nprint 7 / 2, -7 / 2, 7 / 2.0, 7 // 2", "\n3 -4 3.5 3\n"),
        ("from __future__ import division\nprint 7 / 2", "3.5\n"),
        ("x = 7\nx /= 2\nprint x", "3\n"),
        ("x = [7, 8.0, 9]\nx[0] /= 2\nx[1] /= 2\nprint x", "[3, 4.0, 9]\n"),
        ("class C: n = 9\nC.n /= 2\nprint C.n", "4\n"),
        ("calls = []\ndef f():\n  calls.append(1)\n  return [9]\nf()[0] /= 2\nprint len(calls)", "1\n"),
        ("print sum(xrange(4)), range(3), map(str, [1]), zip([1], [2])", "6 [0, 1, 2] ['1'] [(1, 2)]\n"),
        ("try:\n  raise ValueError, 'bad'\nexcept (ValueError, TypeError), e:\n  print e", "bad\n"),
        (
            "d = {'a': 1}\nprint d.has_key('a'), d.items(), [k for k, v in d.iteritems()]",
            "True [('a', 1)] ['a']\n",
        ),
        ("print 0777, 10L, 1 <> 2, `3`", "511 10 True 3\n"),
        ("def f((a, b), c): return a + b + c\nprint f((1, 2), 3)", "6\n"),
        ("print isinstance(u'x', basestring), isinstance('x', unicode), unichr(97)", "True True a\n"),
        (
            "import cPickle, Queue, ConfigParser\nprint cPickle.loads(cPickle.dumps(3)), Queue.Queue().empty()",
            "3 True\n",
        ),
        (
            "from itertools import izip, imap\nprint list(izip([1], [2])), list(imap(abs, [-1]))",
            "[(1, 2)] [1]\n",
        ),
        (
            "print cmp(1, 2), sorted([3, 1], cmp) if False else 0, reduce(lambda a, b: a + b, [1, 2])",
            "-1 0 3\n",
        ),
        ("exec 'y = 4'\nprint y", "4\n"),
        ("def f():\n    if True:\n\treturn 'tab is eight'\nprint f()", "tab is eight\n"),
        ("s = '''a\n\tb'''\nif 1:\n        x = 1\n\tprint s == 'a\\n' + chr(9) + 'b'", "True\n"),
        ("'''doc'''\nfrom __future__ import print_function\nprint(1, 2); x = 0777", "1 2\n"),
        ("import sys\nprint >>sys.stdout, 'to', 'a file'", "to a file\n"),
        ("print 'caf\u00e9' != ''", "True\n"),
    ],
)
def test_what_a_source_prints(text, printed):
    assert run(text) == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("for i in xrange(2): print(i)", "0\n1\n"),
        ("n = 7\nfor i in xrange(n / 2): print(i)", "0\n1\n2\n"),
        ("print(max({'a': 1}.itervalues()))", "1\n"),
        ("import sys\nprint >>sys.stdout, 'x'", "x\n"),
        ("print(reduce(max, [1, 5, 2]), isinstance('', unicode))", "5 True\n"),
        ("x = 1.5\nprint(xrange(1)[0], 'a', 'b')", "0 a b\n"),
        (
            "class C(object):\n  def __iter__(self): return self\n  def next(self): return 7 / 2\nprint(next(C()))",
            "3\n",
        ),
    ],
)
def test_sources_that_parse_but_use_names_of_python_2(text, printed):
    assert run(text) == printed


@pytest.mark.parametrize(
    "text",
    [
        "xrange = range\nprint(list(xrange(7 // 2)), 7 / 2)",
        "from six.moves import xrange\nprint(7 / 2)",
        "try:\n    xrange\nexcept NameError:\n    xrange = range\nprint(7 / 2)",
        "import sys\ntext = unicode if sys.version_info[0] < 3 else str\nprint(7 / 2)",
        "import sys\nif sys.version_info[0] < 3:\n    input = raw_input\nprint(7 / 2)",
        "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\nprint(7 / 2)",
        "class Table:\n    def iteritems(self):\n        return []\nfor x in Table().iteritems(): pass",
        "def f(file, cmp=None): return file, cmp",
        "print('xrange and unicode in a string')",
        "import six\nfor k, v in six.iteritems({}): pass",
        "class C:\n    def __iter__(self): return iter([1])\n    def next(self): return 7 / 2\nprint(C().next())",
        "class C:\n    def __iter__(self): return self\n    def next(self): return 7 / 2\n    __next__ = next",
        "class C(Base):\n    def __iter__(self): return self\n    def next(self): return 7 / 2",
    ],
)
def test_sources_of_today_and_of_both_are_left_alone(text, capsys):
    tree, converted = parse_source(text.encode(), "new.py")
    assert not converted
    assert ast.dump(tree) == ast.dump(ast.parse(text))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("start", ["", "from __future__ import division\n", "'of a notebook'\n"])
def test_features_may_be_imported_further_down_as_in_scripts_made_of_notebooks(start):
    cells = ["x = 7", "from __future__ import absolute_import, division", "print(x / 2)"]
    cells += ["from __future__ import print_function", "print(globals().get('__doc__'))"]
    doc = "of a notebook" if "notebook" in start else None
    assert run(start + "\n".join(cells)) == f"3.5\n{doc}\n"


def test_a_module_beside_the_source_explains_an_import(tmp_path):
    tree = ast.parse("import Queue")
    assert python2_evidence(tree, str(tmp_path / "main.py")) == {"Queue"}
    (tmp_path / "Queue.py").write_text("")
    assert python2_evidence(tree, str(tmp_path / "main.py")) == set()


def test_the_cheap_question_never_misses_what_the_thorough_one_finds():
    assert may_be_python2(b"print >>f, x")
    assert may_be_python2(b"d.iteritems()")
    assert not may_be_python2(b"print(x)\nfor k, v in d.items(): pass\n")


def test_conversion_says_so_in_one_line(capsys):
    parse_source(b"print 'x'\n", "train.py")
    parse_source(b"xrange(3)\n", "data.py")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("headrace: train.py is written in Python 2: converted (")
    assert lines[1] == "headrace: data.py is written in Python 2: converted (xrange)"


@pytest.mark.parametrize("text", ["def f(:\n  pass\n", "x = (1,\n", "if x\n  y\n", "print 'a' 1 2 =\n"])
def test_what_is_no_python_at_all_is_python_3_s_error(text, capsys):
    with pytest.raises(SyntaxError) as ours:
        compile_source(text.encode(), "bad.py")
    with pytest.raises(SyntaxError) as plain:
        compile(text, "bad.py", "exec")
    assert str(ours.value) == str(plain.value)
    assert capsys.readouterr().err == ""


def test_traceback_lines_are_those_of_the_file(tmp_path):
    """Conversion adds lines (imports of reduce, unpacked parameters); the file's own numbers count."""
    text = (
        "'''doc'''\n"
        "import sys\n"
        "print reduce(max, [1])\n"
        "def f((a, b)):\n"
        "    print a\n"
        "    raise ValueError, b\n"
        "\n"
        "f((1, 'here'))\n"
    )
    path = tmp_path / "old.py"
    path.write_text(text)
    with pytest.raises(ValueError, match="here") as caught:
        run(text, str(path))
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == str(path)]
    assert [(f.lineno, f.line) for f in frames] == [(8, "f((1, 'here'))"), (6, "raise ValueError, b")]


def test_pickles_of_python_2_load(tmp_path):
    # pickle.dumps({'label': '\xff\x00'}, 2) under Python 2.7, where both are byte strings.
    old = b"\x80\x02}q\x00U\x05labelq\x01U\x02\xff\x00q\x02s."
    with pytest.raises(UnicodeDecodeError):
        pickle.loads(old)
    assert run("import cPickle\nprint cPickle.loads(old)['label'] == u'\\xff\\x00'", old=old) == "True\n"


def test_division_asks_a_class_of_its_own_first():
    text = (
        "class Tensor(object):\n"
        "    def __div__(self, other): return 'classic'\n"
        "    def __rdiv__(self, other): return 'reflected'\n"
        "    def __truediv__(self, other): return 'true'\n"
        "print Tensor() / 2, 2 / Tensor()\n"
    )
    assert run(text) == "classic reflected\n"


def test_arrays_divide_as_in_python_2():
    numpy = pytest.importorskip("numpy")
    text = "print (a / 2).tolist(), (f / 2).tolist()\nf /= 2\nprint g.tolist(), (a.sum() / 2)"
    f = numpy.array([1.0, 3.0])
    assert run(text, a=numpy.array([1, 4]), f=f, g=f) == "[0, 2] [0.5, 1.5]\n[0.5, 1.5] 2\n"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('import string\nprint string.upper("ab"), string.join(["a", "b"], "-"), string.letters[:3]', "AB a-b abc\n"),
        ('from string import maketrans, replace\nprint "abc".translate(maketrans("a", "x"))', "xbc\n"),
        ('import string\ndef f(string):\n    return string.lower()\nprint f("A")', "a\n"),
        ('import string\nprint "a.b,".translate(None, string.punctuation)', "ab\n"),
        ("import types\nprint isinstance('a', types.StringType), isinstance(1, types.IntType)", "True True\n"),
        ("try:\n    raise ValueError('m')\nexcept ValueError, e:\n    print e.message, e[0]", "m m\n"),
        ("try:\n    raise ValueError('m', 3)\nexcept ValueError, e:\n    print repr(e.message), e[1]", "'' 3\n"),
        ('exec "q = 7/2; print q"', "3\n"),
        ('code = "for i in xrange(2): print i"\nexec code', "0\n1\n"),
        ('d = {}\nexec "x = 5/2" in d\nprint sorted(k for k in d if k[0] != "_"), d["x"]', "['x'] 2\n"),
        ('print eval("5/2"), eval(" [1, 2]"), eval(compile("9/2", "f", "eval"))', "2 [1, 2] 4\n"),
        ("print round(2.5), round(-0.5), round(0.125, 2), round(7)", "3.0 -1.0 0.13 7.0\n"),
        ("print map(None, [1, 2], [3])", "[(1, 3), (2, None)]\n"),
        (
            "print '6162'.decode('hex'), 'ab'.encode('hex'), 'ab'.decode('utf-8'), unicode('a', 'utf-8')",
            "ab 6162 ab a\n",
        ),
        ("import sys\nreload(sys)\nsys.setdefaultencoding('utf-8')\nprint 'ok'", "ok\n"),
        ('print ("%d") % 3', "3\n"),
        ('print ("a"), "b"', "a b\n"),
        ("class C:\n  def next(self): return [5]\nprint C().next()[0], next(C()), C().next().pop()", "5 [5] 5\n"),
        ("class C:\n  def next(self, n=2): return n\nprint C().next(), C().next(3), next(iter([]), 4)", "2 3 4\n"),
        ("class C: pass\nc = C(); c.next = C(); c.next.next = 1\nprint c.next.next", "1\n"),
        ("print list(iter(iter('ab.c').next, '.'))", "['a', 'b']\n"),
        ("it = iter('abc')\nprint it.next().upper(), it.next(), next(it, 0), next(it, 0)", "A b c 0\n"),
    ],
)
def test_what_python_2_means_by_its_built_ins(text, printed):
    assert run(text) == printed


def test_an_iterator_has_next_for_modules_of_today():
    names = {}
    run("print 1\nclass C:\n  def next(self): return 3\nnames['C'] = C", names=names)
    assert names["C"]().next() == next(names["C"]()) == 3


def test_files_opened_as_python_2_wants_them(tmp_path):
    text = """
import csv, cPickle as pickle
with open(pickled, 'w') as f:
    pickle.dump({'a': 1}, f)
with open(pickled) as f:
    print pickle.load(f)
with open(rows, 'wb') as f:
    csv.writer(f).writerow([1, 'b'])
with open(rows, 'rb') as f:
    print list(csv.reader(f))
"""
    printed = run(text, pickled=str(tmp_path / "p"), rows=str(tmp_path / "r"))
    assert printed == "{'a': 1}\n[['1', 'b']]\n"


@pytest.mark.parametrize("text", ["print('a'), print('b')", "print('x'),", "x = round(2.5)", "print('%d' % 3, end='')"])
def test_calls_of_print_that_are_meant(text):
    assert not parse_source(text.encode(), "program.py")[1]

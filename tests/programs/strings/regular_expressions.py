"""Where RE2's expressions are not Python's: classes, flags, empty matches, what is refused; and encodings of text."""

import tensorflow as tf

results = {}
session = tf.Session()


def outcome(make):
    try:
        value = session.run(make())
    except Exception as error:
        return type(error).__name__ + ": " + str(error).splitlines()[0].partition("\t")[0].strip()
    return value


TEXTS = ["na\u00efve caf\u00e9 42", "\u03b1\u03b2 \u0434\u0430 \u6f22", "a.b, (c) + d!", "one\ntwo", "aaa", ""]
for pattern in [
    r"\pL+", r"\PL", r"\p{Lu}|\p{Greek}", r"[\p{Cyrillic}\d]+", r"[^\p{L}\s]", r"\p{^Han}+", r"\p{P}|\p{S}",
    r"\w+", r"\W", r"[\D]", r"\b", r"[[:punct:][:space:]]+", r"[[:^alpha:]]", r"\Qa.b\E,", r"\x61|\x{e9}|\101",
    "(?i)CAF\u00c9", "a(?i:B)|c", "(?i)n(?-i)A|T", r"(?s)e.t", r"(?m)^t|e$", "$", "^", "", "a*", "a??", "a*?", "(?U)a+",
    "a{2}", "a{,2}", "(?P<x>a)(?P<x>a)", "[]a]", "[^]a]+", r"[a\]-]",
]:  # fmt: skip
    results["replaced " + pattern] = outcome(lambda: tf.strings.regex_replace(TEXTS, pattern, r"<\0>"))
for pattern in [r"(a)\1", "a(?=b)", "(?<!a)b", "(?P=x)", "(?#x)a", "a**", "a++", "*a", "[z-a]", r"\Z", r"\y", "(a", "a)",
                "[a", "\\", r"\p{Nope}", "a{1001}", "a{3,2}", "(?x)a"]:  # fmt: skip
    refused = outcome(lambda: tf.strings.regex_full_match(["a"], pattern))
    results["refused " + pattern] = str(refused)[:34]
for rewrite in [r"\2\1", r"\3", r"x\qy", "x\\", r"\\", ""]:
    results["rewritten " + rewrite] = outcome(lambda: tf.strings.regex_replace(["ab cd"], "(.)(b|d)", rewrite))
results["first"] = outcome(lambda: tf.strings.regex_replace(["banana"], "a", "o", replace_global=False))
results["whole"] = outcome(
    lambda: tf.strings.regex_full_match(["a\nb", "ab", "\u00e9", "1\u0661"], r"a.b|.|\d+|[\s\S]{2}")
)

single = bytes(bytearray(range(128, 170)))
for encoding in ["windows-1252", "windows-1251", "ISO-8859-1", "KOI8-R"]:
    results[encoding] = outcome(lambda: tf.strings.unicode_transcode([single], encoding, "UTF-8"))
results["orders"] = outcome(
    lambda: tf.strings.unicode_transcode([b"\xff\xfea\x00", b"\xfe\xff\x00a", b"\x00a"], "UTF-16", "UTF-8")
)

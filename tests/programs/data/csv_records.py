"""Files of comma-separated values: quotes, line ends, defaults, numbers, records that are wrong and those after them."""

import os
import tempfile
import zlib

import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
s = tf.string
ints, texts, triple = [tf.int32] * 2, [s] * 2, [s] * 3


def plain(value):
    return repr(value) if isinstance(value, bytes) else "%.6g" % value


def show(name, contents, defaults, **options):
    paths = []
    for i, content in enumerate(contents if isinstance(contents, list) else [contents]):
        paths.append(os.path.join(folder, "%s%d" % (name, i)))
        with open(paths[-1], "wb") as out:
            out.write(content)
    found = []
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.experimental.CsvDataset(paths, defaults, **options)
        value = dataset.make_one_shot_iterator().get_next()
        while len(found) < 20:
            try:
                found.append(" ".join(plain(v) for v in sess.run(value)))
            except tf.errors.OutOfRangeError:
                found.append("end")
                break
            except tf.errors.InvalidArgumentError as error:
                found.append(error.message.split("\n")[0].split(" (")[0].split(" [[")[0])
    results[name] = found


show("plain", b"1,2\n3,4\n", ints)
show("noend", b"1,2\n3,4", ints)
show("crlf", b"1,2\r\n3,4\r\n", ints)
show("cr", b"1,2\r3,4\r", ints)
show("crcr", b"1,2\r\r\n3,4\r", ints)
show("few", b"1,2\n3\n5,6\n", ints)
show("more", b"1,2\n3,4,5\n5,6\n", ints)
show("more_end", b"1,2\n3,4,5", ints)
show("few_end", b"1,2\n3", ints)
show("empty_line", b"1,2\n\n5,6\n\n", ints)
show("empty_line1", b"1\n\n5\n\n", [tf.int32])
show("empty_line1d", b"1\n\n5\n\n", [[7]])
show("empty_line1s", b"1\n\n5\n\n", [tf.string])
show("empty_line1sd", b"a\n\nb\n\r\n\rc", [["d"]])
show("trail_delim", b"1,\n,2\n,\n", [[7], [8]])
show("trail_delim_end", b"1,", [[7], [8]])
show("trail_delim_end_s", b"1,", texts)
show("miss", b"1,\n,2\n3,4", ints)
show("bad", b"1,x\ny,2\n3,4", ints)
show("badfloat", b"1.5,x\n 2 ,2\n3,4", [tf.float32, tf.float64])
show("floats", b"1e3,nan\ninf,-inf\n1e400,1_0\n0x10,1e39\n1e39,1", [tf.float32, tf.float64])
show("ints", b"1,99999999999\n99999999999,1\n +3,-4\n+5,6\n1_000,3\n 7 , 8 \n0x1,2\n1.0,1\n", [tf.int32, tf.int64])
show(
    "ints64",
    b"9223372036854775807,1\n9223372036854775808,2\n-9223372036854775808,3\n-9223372036854775809,1",
    [tf.int64, tf.int64],
)
show("quotes", b'"a","b"\n"a""b",c\n"a,b","c\nd"\n"",x\n', texts)
show("quotes_default", b'"",x\n,"y"\n', [["D"], ["E"]])
show("quoted_na", b'"NA",x\nNA,"NA"\n', [["D"], ["E"]], na_value="NA")
show("na", b"NA,1\n2,NA\n", [[7], [8]], na_value="NA")
show("na_empty", b",1\n2,NA\n", [[7], [8]], na_value="NA")
show("na_req", b"NA,1\n2,NA\n", ints, na_value="NA")
show("quote_inside", b'a"b,c\nd,e\n', texts)
show("quote_inside2", b'c,a"b\nd,e\n', texts)
show("quote_after", b'"a"b,c\nd,e\n', texts)
show("quote_after2", b'c,"a"b\nd,e\n', texts)
show("unclosed", b'"a,c\nd,e\n', texts)
show("unclosed2", b'x,y\nc,"a\nd,e\n', texts)
show("quote_mid_end", b'x,"y"', texts)
show("quote_cr", b'x,"y"\rz,"w"\r\nu,v', texts)
show("quote_lf_in", b'"x\r\ny",1\n', texts)
show("noquote", b'"a,b"\nc"d,e\n', texts, use_quote_delim=False)
show("noquote2", b'"a,b\nc","e"\n', texts, use_quote_delim=False)
show("qnum", b'"1","2"\n', ints)
show("delim", b"1;2\n3;4\n", ints, field_delim=";")
show("delim_tab", b"1\t2\n3\t4\n", ints, field_delim="\t")
show("delim_space", b"1 2\n3  4\n", ints, field_delim=" ")
show("header", b"a,b\n1,2\n", ints, header=True)
show("header_only", b"a,b\n", ints, header=True)
show("header_only2", b"a,b", ints, header=True)
show("header_empty", b"", ints, header=True)
show("header_quoted", b'"a\nb",c\n1,2\n', ints, header=True)
show("header_badq", b'a"b,c\n1,2\n', ints, header=True)
show("header_two", [b"a,b\n1,2\n", b"a,b\n3,4"], ints, header=True)
show("two", [b"1,2", b"3,4\n"], ints)
show("two_empty", [b"1,2", b"", b"3,4\n"], ints)
show("empty", b"", ints)
show("nl", b"\n", ints)
show("sel", b"1,x,3\n4,y,6\n", ints, select_cols=[0, 2])
show("sel1", b"1,x,3\n4,y,6\n", [tf.string], select_cols=[1])
show("sel_short", b"1,x\n4,y,6\n1\n7,8,9\n", ints, select_cols=[0, 2])
show("sel_long", b"1,x,3,4,5\n4,y,6\n", ints, select_cols=[0, 2])
show("sel_ragged_after", b'1,x\n2,y,z,"\n3,"\n",w\n4,a"b\n5,6', [tf.int32], select_cols=[0])
show("sel_unsel_quote", b'"x""y",1\n"a\nb",2\n', [tf.int32], select_cols=[1])
show("sel_dflt", b"1,,3\n,5,6\n", [[0], [9]], select_cols=[0, 1])
show("big", b"\n".join(b"%d,%d" % (k, k * 2) for k in range(8)) + b"\n", ints, buffer_size=5)
show(
    "big_q",
    b'"aaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbb",1\n2,"ccccccccccccccc""ddddddddddd"\r\n3,4',
    texts,
    buffer_size=4,
)
show("zl", zlib.compress(b"1,2\n3,4\n"), ints, compression_type="ZLIB")
show("bom", b"\xef\xbb\xbf1,2\n", texts)
show("utf", b"\xc3\xa9,\xc3\xbc\n", texts)
show("nul", b"a\0b,c\n", texts)
show("strnum", b"1,\n", [tf.string, [5.5]])
show("t1", b"1,", [[7], [8]])
show("t2", b"1,2\n3,", [[7], [8]])
show("t3", b"1,2\n,", [[7], [8]])
show("t4", b",\n,", [[7], [8]])
show("t5", b"1,2\r", ints)
show("t6", b'"a",', texts)
show("t7", b'"a"', texts)
show("t8", b'a,""', [["x"], ["y"]])
show("t9", b'""', [["x"]])
show("t10", b'a\n""', [["x"]])
show("qa1", b'"a"b",c\nd,e\n', texts)
show("qa2", b'"a"b,"c"\nd,e\n', texts)
show("qa3", b'"a"b,"c\nd,e\nf,"g"\nh,i\n', texts)
show("qa4", b'"a" ,c\nd,"e"\nf,g\n', texts)
show("qi1", b'a"b"c,"d\ne"\nf,g\n', texts)
show("qints", b'a"b\nd,e\n', texts)
show("qi3", b'a",b\nd,e\n', texts)
show("m1", b"x,1,2\n3,4\n", ints)
show("m2", b'1,2,a"b\n3,4\n', ints)
show("m3", b'1,2,"a\nb"\n3,4\n', ints)
show("m4", b"x\n3,4\n", ints)
show("m5", b"1,2,\n3,4\n", ints)
show("u1", b'a,b\n"c,d\n', texts)
show("u2", b'a,b\nc"x,"d\n', texts)
show("u3", b'"a', [tf.string])
show("u4", b'"', [tf.string])
show("u5", b'x,"', texts)
show("u6", b'"a"b', [tf.string])
show("cr1", b'"a"\r"b"\r\n"c"\n\r"d"', [[b"z"]])
show("cr2", b"a\r\rb\r\n\r\nc\n\rd\r", [[b"z"]])
show("cr3", b'a\rb"c\rd\r\n', [[b"z"]])
show("crq", b'a,"b"\r\n\r\nc,d', texts)
show("noq", b'a"b,"c\nd,e\n', texts, use_quote_delim=False)
show("h1", b'"a,b\n1,2\n', ints, header=True)
show("h2", b"\n1,2\n", ints, header=True)
show("h3", b"a\r\n1,2\n", ints, header=True)
show("h4", b"a\r1,2\n", ints, header=True)
show("h5", b'"a"x,b\n1,2\n"3,4', ints, header=True)
show("h6", [b"", b"a,b\n1,2\n", b""], ints, header=True)
show("s1", b'1,"x"y,3\n4,5,6\n', [tf.int32], select_cols=[0])
show("s2", b'1,"x"y,"3\n4,5,6\n', [tf.int32], select_cols=[0])
show("s3", b'1,x"y,3\n4,5,6\n', [tf.int32], select_cols=[0])
show("s4", b'"a",x"y,3\n4,"5,6\n', [tf.int32], select_cols=[0])
show("s5", b"1\n\n2,", [[5]], select_cols=[1])
show(
    "n1", b" 1 ,1.5 \n1 2,3\n-,4\n--1,1\n-0,-0\n007,1e\n1,.\n1,.5\n1,5.\n1,e5\n1,1d5\n1,1e+5\n", [tf.int32, tf.float32]
)
show(
    "n2",
    b"1,infinity\n1,INF\n1,NaN\n1,-nan\n1,1e-50\n1,1e-400\n1,+inf\n1,+1.5\n1,0x1p3\n1,1.5f\n",
    [tf.float64, tf.float32],
)
show("n3", b"\t1,\n 2,3\n1,\n", [tf.int32, tf.string])
show("one", b"1\n2\n\n", [tf.float32])
show("dq", b'a;"b;c";"d""e"\n', triple, field_delim=";")
show("naq", b'-1,"-1"\n', [[5], [6]], na_value="-1")
show("qdelim", b'a"b"c\n', triple, field_delim='"', use_quote_delim=False)
show("qdelim2", b'a"b"c\n', triple, field_delim='"')
show("ign", b"1,2\nx,3\n4\n5,6\n", ints)

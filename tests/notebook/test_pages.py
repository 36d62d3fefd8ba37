"""What notebooks show of graphs, plans and models."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import headrace as tf
from headrace.notebook.pages import as_html
from headrace.notebook.picture import MOST_BOXES, boxes_of, svg_of

_EMPTY = {"br", "hr", "img"}


class Balanced(HTMLParser):
    """Reads HTML whose elements are all closed in their order."""

    def __init__(self):
        super().__init__()
        self.opened, self.text, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in _EMPTY:
            self.opened.append(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    page = Balanced()
    page.feed(html)
    assert page.opened == []
    return page


@pytest.fixture
def model():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], "x")
        hidden = tf.layers.dense(x, 8, activation=tf.nn.relu, name="hidden")
        logits = tf.layers.dense(hidden, 3, name="logits")
        with tf.name_scope("loss"):
            loss = tf.reduce_mean(tf.square(logits))
        yield graph, x, loss


def test_a_graph_is_shown_with_its_variables_and_scopes(model):
    graph, _, _ = model
    page = read(graph._repr_html_())
    text = " ".join(page.text)
    assert "4 variables, 268 B" in text  # (4 * 8 + 8 + 8 * 3 + 3) * 4 bytes
    assert "hidden/kernel" in text
    assert "[8, 3]" in text
    assert {"svg", "table", "details"} <= set(page.tags)


def test_boxes_stand_in_the_order_of_what_flows(model):
    graph, _, _ = model
    boxes, flows = boxes_of(graph)
    layers = {box.name: box.layer for box in boxes}
    assert layers["x"] < layers["hidden"] < layers["logits"] < layers["loss"]
    assert flows["hidden", "logits"] == 1
    assert sum(box.operations for box in boxes) == len(graph.get_operations())


def test_the_picture_is_well_formed_and_boxes_do_not_overlap(model):
    picture = ElementTree.fromstring(svg_of(model[0]))
    corners = [(int(box.get("x")), int(box.get("y"))) for box in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(set(corners)) == len(corners)
    width, height = int(picture.get("width")), int(picture.get("height"))
    assert all(0 <= x < width and 0 <= y < height for x, y in corners)


def test_what_flows_back_does_not_hang():
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
        with tf.name_scope("a"):
            first = tf.identity(1.0)
        with tf.name_scope("b"):
            second = tf.identity(first)
        with tf.name_scope("a/"):
            tf.identity(second)
    assert svg_of(graph)


def test_many_scopes_share_a_box():
    with tf.Graph().as_default() as graph:
        for i in range(3 * MOST_BOXES):
            with tf.name_scope(f"scope_{i}"):
                tf.identity(1.0)
    assert len(boxes_of(graph)[0]) <= MOST_BOXES + 1


def test_a_plan_is_shown_with_its_source(model):
    graph, x, loss = model
    plan = tf.Session(graph=graph).plan_for(loss, [x])
    text = "".join(read(plan._repr_html_()).text)
    assert plan.source in text
    assert plan.summary in text


def test_a_model_is_shown_with_its_signatures(model, tmp_path):
    graph, x, loss = model
    with tf.Session(graph=graph) as sess:
        sess.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(sess, str(tmp_path / "model"), {"given": x}, {"found": loss})
        meta_graph = tf.saved_model.loader.load(sess, ["serve"], str(tmp_path / "model"))
    text = " ".join(read(as_html(meta_graph)).text)
    for part in ("serve", "signature serving_default", "given", "[?, 4]", "found", "float"):
        assert part in text


def test_names_out_of_files_are_no_html():
    graph_def = tf.GraphDef()
    node = graph_def.node.add()
    node.name, node.op = "A", "NoOp"
    meta_graph = tf.MetaGraphDef(graph_def=graph_def)
    meta_graph.meta_info_def.tags.append("<script>alert(1)</script>")
    signature = meta_graph.signature_def["<img src=x onerror=alert(1)>"]
    signature.inputs["<b>"].name = "</td><script>"
    html = as_html(meta_graph)
    assert not re.search(r"<(script|img)", html)
    read(html)


def test_there_is_no_page_for_others():
    with pytest.raises(TypeError, match="int"):
        as_html(3)

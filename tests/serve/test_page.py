"""The page at `/` in a browser; left out where there is neither selenium nor a Chromium."""

from __future__ import annotations

import json
import shutil

import pytest

from headrace.serve.codecs import Codec
from headrace.serve.model_configs import ModelConfig
from headrace.serve.rest_app import RestApplication, RestOptions

webdriver = pytest.importorskip("selenium.webdriver")

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture
def browser(driver):
    yield driver
    # A page that is left open asks a server that is gone, and says so in the log of the next test.
    driver.get("about:blank")
    driver.get_log("browser")


def wait(browser, script, *arguments):
    """What a script gives once it gives something."""
    asking = """
        const [given, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
        const look = () => { const found = (() => { %s })(); found ? done(found) : setTimeout(look, 20); };
        look();"""
    return browser.execute_async_script(asking % script, *arguments)


def open_page(browser, port):
    browser.get(f"http://127.0.0.1:{port}/")
    wait(browser, "return document.querySelector('.versions td')")


def send(browser, label, text):
    """Fills a form and sends it; what it shows then."""
    return wait(
        browser,
        """
        const area = document.querySelector(`textarea[aria-label="${given[0]}"]`), out = area.form.querySelector("pre");
        if (!area.sent) {
          area.sent = true; out.textContent = ""; area.value = given[1] ?? area.value;
          area.form.requestSubmit();
        }
        if (!out.textContent) return null;
        area.sent = false;
        return [out.textContent, out.className];""",
        label,
        text,
    )


@pytest.fixture
def page(half, listen, browser):
    codec = Codec(lambda body: {"x": [float(body)]}, lambda outputs: {"y": outputs["y"]})
    open_page(browser, listen(RestApplication(half, RestOptions(codec=codec, codec_model="half"))))
    yield browser
    # An answer of 400 is in the log too; what the page itself does wrong is more than that.
    assert [one for one in browser.get_log("browser") if "400 (Bad Request)" not in one["message"]] == []


def test_it_shows_models_and_their_signatures(page):
    assert page.find_element("css selector", "h2").text == "half"
    assert page.find_element("css selector", ".versions").text == "version 2 AVAILABLE"
    titles = [one.text for one in page.find_elements("css selector", "h3")]
    assert {"serving_default", "classify", "regress", "several", "total"} <= set(titles)
    table = page.find_element("xpath", "//h3[text()='product']/following-sibling::table").text
    assert table.splitlines() == ["input matrix float32 [?, 2]", "output product float32 [?, 3]"]


def test_forms_come_filled_with_what_may_be_sent(page):
    shown, css = send(page, "Request for serving_default", None)
    assert (shown.split(",")[0], css) == ("200", "")
    assert json.loads(shown.partition("\n")[2]) == {"predictions": [2.25]}
    for name in ("product", "several", "total"):
        assert send(page, f"Request for {name}", None)[0].startswith("200" if name != "total" else "400")


def test_forms_send_what_is_written(page):
    body = json.dumps({"signature_name": "regress", "examples": [{"x": 2.0}]})
    assert '"results": [3.0]' in send(page, "Request for regress", body)[0]
    shown, css = send(page, "Request for serving_default", "{")
    assert (shown[:3], css) == ("400", "bad")
    assert '{"y": [4.0]}' in send(page, "Body for /", "4")[0]


def test_it_shows_latencies(page):
    send(page, "Request for serving_default", None)
    assert wait(page, "return document.querySelectorAll('.bars div').length") == 34
    section = page.find_element("id", "latency").text
    assert "half Predict over REST" in section
    assert "1 request, half of them within" in section


def test_it_follows_versions_and_keeps_what_is_being_written(saved, start, listen, browser, tmp_path):
    base = tmp_path / "half"
    shutil.copytree(saved / "1", base / "1")
    server = start(ModelConfig("half", str(base)), load_retries=0)
    open_page(browser, listen(RestApplication(server)))
    wait(browser, "document.querySelector('textarea').value = 'being written'; return true")
    (base / "3").mkdir()
    (base / "3" / "saved_model.pb").write_bytes(b"no model")
    shutil.copytree(saved / "2", base / "2")
    server.update()
    wait(browser, "return document.querySelectorAll('.versions tr').length > 1")
    rows = browser.find_element("css selector", ".versions").text.splitlines()
    assert rows[0].startswith("version 3 END")
    assert "saved_model.pb" in rows[0]
    assert browser.find_element("css selector", "textarea").get_attribute("value") == "being written"

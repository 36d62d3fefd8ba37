"""Pictures of TensorBoard's pages for docs/images: trains examples/tensorboard_tour.py and opens what it wrote.

    apt-get install chromium chromium-driver
    pip install selenium                        # or the extra: pip install headrace[screenshots]
    python tools/tensorboard_screenshots.py docs/images

The stock `tensorboard` serves the event files on localhost; a headless Chromium opens its pages, clicks as a person
would, and keeps what is seen. A page that does not show what it should is an error, and so is an error in the browser's
log.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

ROOT = pathlib.Path(__file__).parent.parent
SIZE = (1280, 760)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip

# The pages are made of elements with shadow trees, which selectors do not look into: these functions do.
FIND = """
const all = (selector, root = document) => {
  const found = [...root.querySelectorAll(selector)];
  for (const element of root.querySelectorAll('*'))
    if (element.shadowRoot) found.push(...all(selector, element.shadowRoot));
  return found;
};
const seen = element => element.getClientRects().length > 0;
"""


class Browser:
    """A headless Chromium on one TensorBoard."""

    def __init__(self, address: str, folder: str, binary: str, driver: str) -> None:
        options = Options()
        options.binary_location = binary
        for flag in (*FLAGS, f"--window-size={SIZE[0]},{SIZE[1]}", f"--user-data-dir={folder}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "SEVERE"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.address = address

    def ask(self, script: str, *arguments: Any) -> Any:
        """Runs JavaScript that may use `all` and `seen`."""
        return self.driver.execute_script(FIND + script, *arguments)

    def wait(self, what: str, script: str, *arguments: Any) -> Any:
        """Waits until JavaScript gives something true."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = self.ask(script, *arguments)
            if found:
                return found
            time.sleep(0.2)
        raise TimeoutError(f"{self.driver.current_url} does not show {what}")

    def open(self, page: str) -> None:
        """Opens a page afresh."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}/#{page}")

    def settle(self, seconds: float = 1.5) -> None:
        """Lets animations end."""
        time.sleep(seconds)

    def choose(self, text: str) -> None:
        """Clicks a choice by its text."""
        script = """
            const item = all('paper-radio-button, paper-item, paper-button').find(
                e => e.textContent.trim().startsWith(arguments[0]));
            if (item) item.click();
            return item;"""
        self.wait(text, script, text)

    def node(self, name: str) -> Any:
        """The shape of a node of the graph."""
        script = """
            const group = all('g.node').find(g => g.getAttribute('data-name') === arguments[0]);
            return group && group.querySelector(':scope > .nodeshape');"""
        return self.wait(f"the node {name}", script, name)

    def expand(self, name: str) -> None:
        """Double-clicks a name scope."""
        ActionChains(self.driver).double_click(self.node(name)).perform()
        self.settle()

    def seen(self) -> Any:
        """What the window shows."""
        return Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")

    def keep(self, path: pathlib.Path) -> None:
        """Writes what is seen as a PNG of few colours."""
        self.seen().quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
        print(f"{path}: {path.stat().st_size // 1024} kB")

    def errors(self) -> list[str]:
        """Severe entries of the browser's log, but for fonts and pictures that are nowhere but on the internet."""
        return [entry["message"] for entry in self.driver.get_log("browser") if self.address in entry["message"]]


def graph(browser: Browser) -> None:
    """The graph with all name scopes closed."""
    browser.open("graphs")
    for name in ("input", "convolution", "hidden", "output", "loss", "train"):
        browser.node(name)
    browser.settle()


def scope(browser: Browser) -> None:
    """A name scope opened, with shapes on the edges."""
    graph(browser)
    browser.expand("convolution")
    browser.node("convolution/Conv2D")
    labels = browser.ask("return all('g.edge text, g.edge textPath').map(e => e.textContent.trim()).filter(t => t)")
    if not any("12×12×8" in label for label in labels):
        raise AssertionError(f"The edges do not tell shapes: {labels}")
    ActionChains(browser.driver).click(browser.node("convolution/Conv2D")).perform()
    browser.settle()


def shapes(browser: Browser) -> None:
    """The same from close by, so that the shapes can be read."""
    graph(browser)
    browser.expand("convolution")
    origin = ScrollOrigin.from_element(browser.node("convolution/Conv2D"))
    for _ in range(4):
        ActionChains(browser.driver).scroll_from_origin(origin, 0, -100).perform()
    browser.settle()


def device(browser: Browser) -> None:
    """Nodes coloured by device."""
    graph(browser)
    browser.choose("Device")
    browser.settle()
    legend = browser.ask("return all('.color-legend-value').filter(seen).map(e => e.textContent.trim())")
    # TensorBoard shortens /device:CPU:0 to 0.
    if not {"0", "1"} <= set(legend):
        raise AssertionError(f"The legend does not name the devices: {legend}")


def run_metadata(kind: str) -> Callable[[Browser], None]:
    """Nodes coloured by what a traced step took."""

    def view(browser: Browser) -> None:
        graph(browser)
        browser.choose("step 099")
        browser.settle()
        browser.choose(kind)
        browser.settle()
        ActionChains(browser.driver).click(browser.node("convolution")).perform()
        browser.wait(
            "the node's statistics",
            "return all('tf-node-info').some(e => all('*', e.shadowRoot).some("
            "i => seen(i) && i.textContent.trim().startsWith('Compute Time')))",
        )
        browser.settle()

    return view


def dashboard(page: str, selector: str, count: int) -> Callable[[Browser], None]:
    """A page that shows at least `count` of the elements that a selector finds."""

    def view(browser: Browser) -> None:
        browser.open(page)
        browser.wait(f"{count} × {selector}", f"return all('{selector}').filter(seen).length >= {count}")
        browser.settle(2.5)

    return view


def projector(browser: Browser) -> None:
    """The embedding's points. TensorBoard looks for them when asked first, and shows them from the next time on."""
    for _ in range(100):
        with urllib.request.urlopen(f"{browser.address}/data/plugins_listing") as answer:
            if json.load(answer)["projector"]["enabled"]:
                break
        time.sleep(0.2)
    browser.open("projector")
    for _ in range(20):
        browser.settle()
        # The plugin lives in a frame of its own that selectors do not reach: what is looked for are dots in violet.
        dots = sum(count for count, (r, g, b) in browser.seen().getcolors(1 << 24) if b > 180 > 150 > max(r, g))
        if dots > 2000:
            return
    raise TimeoutError("The projector shows no points")


PAGES: dict[str, Callable[[Browser], None]] = {
    "scalars": dashboard("scalars", "tf-scalar-card", 2),
    "graph": graph,
    "graph-scope": scope,
    "graph-shapes": shapes,
    "graph-device": device,
    "graph-compute-time": run_metadata("Compute time"),
    "graph-memory": run_metadata("Memory"),
    "histograms": dashboard("histograms", "tf-histogram-loader", 3),
    "distributions": dashboard("distributions", "tf-distribution-loader", 3),
    "images": dashboard("images", "tf-image-loader", 1),
    "audio": dashboard("audio", "tf-audio-loader", 1),
    "text": dashboard("text", "tf-text-loader", 2),
    "projector": projector,
}


@contextlib.contextmanager
def serving(logdir: str) -> Iterator[str]:
    """The stock TensorBoard on a free port: its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", logdir, "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(150):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/data/runs") as answer:
                if b"train" in answer.read():
                    break
            time.sleep(0.2)
        else:
            raise TimeoutError("TensorBoard does not answer")
        yield address
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Trains, serves, opens and keeps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path, help="the folder for the pictures")
    parser.add_argument("--only", nargs="*", choices=list(PAGES), default=list(PAGES), help="the pages to open")
    parser.add_argument("--logdir", help="where the tour was trained before, instead of training it")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--driver", default="/usr/bin/chromedriver")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        logdir = arguments.logdir or f"{folder}/bars"
        if not arguments.logdir:
            program = [sys.executable, "-m", "headrace", str(ROOT / "examples/tensorboard_tour.py")]
            subprocess.run([*program, "--logdir", logdir], check=True)
        with serving(logdir) as address:
            browser = Browser(address, f"{folder}/profile", arguments.chromium, arguments.driver)
            try:
                for name in arguments.only:
                    PAGES[name](browser)
                    browser.keep(arguments.output / f"tensorboard-{name}.png")
                errors = browser.errors()
            finally:
                browser.driver.quit()
    if errors:
        sys.exit("\n".join(["The browser reported errors:", *errors]))


if __name__ == "__main__":
    main()

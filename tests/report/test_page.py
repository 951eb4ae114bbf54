"""A page in a real browser: nothing fails, nothing is loaded, no text of the data runs."""

from __future__ import annotations

import html
import re
import shutil

import pytest

from nbspark.errors import PathError
from nbspark.report.content import Content
from nbspark.report.matrix import MOST_CLASSES
from nbspark.report.page import render, write
from tests.report.contents import ARABIC, CHINESE, HOSTILE, content

TWO = ["ham", HOSTILE]
MANY = [f"intent_{i:03}" for i in range(148)] + [ARABIC, CHINESE]
SECTIONS = ("figures", "confusion", "classes", "confidence", "mistakes", "terms", "tuning", "drift", "versions", "spec")


@pytest.fixture(scope="module")
def browser():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by the package playwright")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Return what opens a content's page, and the list of what went wrong since."""
    wrong: list[str] = []
    contexts = []

    def open_page(shown: Content, *, width: int = 1200, scheme: str = "light"):
        write(str(tmp_path / "report.html"), shown)
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto((tmp_path / "report.html").as_uri())
        return page

    yield open_page, wrong
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("labels", "width", "scheme"),
    [(TWO, 1200, "light"), (TWO, 400, "dark"), (MANY, 1200, "dark"), (MANY, 400, "light")],
    ids=["2 classes", "2 classes on a phone in the dark", "150 classes in the dark", "150 classes on a phone"],
)
def test_every_section_is_seen_without_an_error_or_a_request(opened, labels, width, scheme):
    open_page, wrong = opened
    page = open_page(content(labels), width=width, scheme=scheme)
    boxes = [page.locator(f"section#{name}").bounding_box() for name in SECTIONS]
    assert all(box["height"] > 60 and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") == width  # wide tables scroll by themselves
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    assert wrong == []


def test_a_hostile_text_is_shown_and_does_not_run(opened):
    open_page, wrong = opened
    page = open_page(content(TWO))
    assert page.locator("h1").inner_text() == f"Report on {HOSTILE}"
    assert page.evaluate("[document.scripts.length, document.images.length]") == [1, 0]
    # What got past the escaping would still be refused: only the page's own script has the hash of the policy.
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'document.title = 0'}))")
    assert page.title() == f"Report on {HOSTILE}"
    assert len(wrong) == 1
    assert "Content Security Policy" in wrong[0]


def test_a_cell_leads_to_its_examples_by_keyboard(opened):
    open_page, wrong = opened
    page = open_page(content(MANY))
    link = page.locator("#matrix a").first
    place = link.get_attribute("href")
    assert not page.locator(place).locator("article").first.is_visible()
    link.focus()
    page.keyboard.press("Enter")
    page.locator(place).locator("article").first.wait_for(state="visible", timeout=2000)
    assert wrong == []


def test_the_square_and_the_classes_are_sorted(opened):
    open_page, _ = opened
    page = open_page(content(["a", "b", "c"]))
    names = "[...document.querySelectorAll('#matrix tbody th')].map((one) => one.textContent)"
    heads = "[...document.querySelectorAll('#matrix thead th[data-name]')].map((one) => one.textContent)"
    assert page.evaluate(names) == page.evaluate(heads) == ["a", "b", "c"]
    page.select_option("#order", "errors")
    errors = {one.label: one.support + one.n_predicted for one in content(["a", "b", "c"]).evaluation.classes}
    right = {one.label: one.n_docs for one in content(["a", "b", "c"]).evaluation.pairs if one.label == one.prediction}
    most = sorted(errors, key=lambda label: (2 * right[label] - errors[label], label))
    assert page.evaluate(names) == page.evaluate(heads) == most
    page.locator("table.classes th button", has_text="F1").click()
    values = page.locator("table.classes tbody tr td:last-child").evaluate_all("all => all.map(a => +a.dataset.value)")
    assert values == sorted(values, reverse=True)


def test_of_many_classes_the_square_shows_those_with_the_most_errors():
    page = render(content(MANY))
    square = page[page.index('id="matrix"') : page.index("Confused most")]
    assert len(re.findall("<tr data-name", square)) == MOST_CLASSES
    assert len(page) < 2_000_000


def test_tables_have_captions_and_drawings_names():
    page = render(content(TWO))
    assert page.count("<table") == page.count("<caption") > 8
    drawings = re.findall(r"<svg[^>]*>", page)
    assert len(drawings) > 20
    assert all('role="img" aria-label="' in one or 'aria-hidden="true"' in one for one in drawings)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


def test_what_is_not_known_is_left_out():
    page = render(Content("Nothing"))
    assert "<section" not in page


def test_a_page_replaces_an_older_page_and_nothing_else(tmp_path):
    path = tmp_path / "new" / "report.html"
    write(str(path), Content("First"))
    write(str(path), Content("Second & last"))
    assert f"<h1>{html.escape('Second & last')}</h1>" in path.read_text(encoding="utf-8")
    path.write_text("<h1>My own</h1>", encoding="utf-8")
    with pytest.raises(PathError, match="is no report of nbspark"):
        write(str(path), Content("Third"))
    assert path.read_text(encoding="utf-8") == "<h1>My own</h1>"

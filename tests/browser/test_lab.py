"""The lab in a browser: every preset and control, by mouse and by keyboard, addresses, comparing, what a reader is told."""

import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof.cli import main
from symroof.errors import EvaluationError, MissingValueError
from symroof.lab.html import lab_page
from symroof.report.html import TEMPLATES

Open = Callable[..., Any]
BOOK = symroof.load()
STICKS_OUT = """() => [document.documentElement, ...document.querySelectorAll('header, aside, section, figure')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'contents')
    .map((e) => e.id || e.tagName)"""
VALUES = "lab.values()"
NAMES = ["step_time", "MFU", "binding_resource", "memory_peak", "packet_bytes", "nvlink_bytes_per_update"]


@pytest.fixture(scope="session")
def lab_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("lab") / "lab.html"
    file.write_text(lab_page(BOOK), encoding="utf-8", newline="\n")
    return file


@pytest.fixture
def lab(opened: Open, lab_file: Path) -> Open:
    """Open the lab at a fragment of its address, as `opened` opens it, and wait until it has settled."""

    def start(fragment: str = "", width: int = 1280, **options: Any) -> Any:
        page = opened(lab_file.as_uri() + fragment, width, **options)
        settled(page)
        return page

    return start


def settled(page: Any) -> None:
    page.wait_for_selector("#content-0 td", state="attached")
    page.wait_for_timeout(160)


def step(page: Any) -> str:
    page.wait_for_timeout(60)
    return str(page.inner_text("#head-step_time .big"))


def value(page: Any, name: str) -> Any:
    return page.evaluate(VALUES)[name]


def note(page: Any) -> str:
    return str(page.inner_text("#note"))


def error(page: Any, name: str) -> str:
    return str(page.inner_text(f"#error-{name}"))


def test_the_first_screen_says_what_binds_how_long_and_how_much_is_bubble(lab: Open) -> None:
    page = lab()
    assert page.inner_text("#binds") == "Compute binds"
    assert page.text_content("#margin") == "compute takes 3.95 times as long as NVLink, the next."
    assert step(page) == "≈ 12.309 s"
    assert "10.94%" in page.inner_text("#head-bubble_overhead")
    assert page.locator("#picture-composition svg").is_visible()
    page.click(".omits summary")
    assert "imbalance of stages, which lockstep_time has" in page.inner_text("#omits")


@pytest.mark.parametrize("kind", ["model", "machine", "run"])
def test_every_preset_loads(lab: Open, kind: str) -> None:
    page = lab()
    for name in BOOK.presets.names(kind):
        page.select_option(f"#preset-{kind}", name)
        page.wait_for_timeout(40)
        if page.input_value(f"#preset-{kind}") != name:
            assert "cannot be" in note(page), name
            continue
        point = BOOK.at("+".join(page.input_value(f"#preset-{k}") for k in ("model", "machine", "run")))
        assert agrees(value(page, "step_time"), exact(point, "step_time")), name
    assert page.locator("#picture-composition").is_visible()


def test_a_model_that_the_run_does_not_fit_brings_its_own(lab: Open) -> None:
    page = lab()
    page.select_option("#preset-model", "gemma-2b")
    settled(page)
    assert page.input_value("#preset-run") == "64-gpu-4k"
    assert note(page) == "The run is now 64-gpu-4k, which fits gemma-2b."
    assert page.locator("[data-control=EP]").is_hidden()
    assert page.locator("#section-3").is_hidden()
    page.select_option("#preset-model", "kimi-k3")
    settled(page)
    assert page.input_value("#preset-run") == "4k-reference"


def test_every_control_moves(lab: Open) -> None:
    page = lab()
    page.evaluate("for (const d of document.querySelectorAll('.group')) d.open = true")
    page.wait_for_timeout(100)
    for control in page.locator(".dial input[type=range]:visible:enabled").all():
        before = control.input_value()
        control.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(30)
        if control.input_value() == before:
            page.keyboard.press("ArrowLeft")
            page.wait_for_timeout(30)
        name = control.evaluate("(e) => e.closest('[data-control]').dataset.control")
        assert control.input_value() != before or name in FIXED, name
    for choice in page.locator(".choice[data-control] select:visible").all():
        option = choice.evaluate("(e) => [...e.options].map((o) => o.value).find((v) => v && v !== e.value)")
        choice.select_option(option)
        page.wait_for_timeout(20)
        assert choice.input_value() == option
    assert value(page, "step_time")[0] > 0


# What the model's other numbers leave no second value on the slider.
FIXED: set[str] = {
    "layers", "kda_layers", "mla_layers", "mla_period", "experts", "top_k", "CP", "world", "dense_layers",
    "domain_ranks", "EP", "context",
    "doc_length", "memory_stage", "stage", "virtual_stages", "checkpoint", "node_gpus", "domain_nics", "r", "c", "gdn_layers",
}  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_values_are_the_engines_in_the_browser_too(lab: Open, seed: int) -> None:
    rng = random.Random(seed)
    model = rng.choice(["kimi-k3", "deepseek-v3", "qwen3-30b-a3b", "llama31-8b"])
    run = "64-gpu-4k" if model == "llama31-8b" else "4k-reference"
    m = rng.randint(1, 300)
    page = lab(f"#model={model}&run={run}&M={m}")
    point = BOOK.at(f"{model}+gb200-nvl72+{run}", M=m)
    if "stage" in point.book.symbols and point["PP"].exact > 1:
        point = point.set(stage=point["PP"].exact - 1)
    found = page.evaluate(VALUES)
    wrong = {n: (v, exact(point, n)) for n, v in found.items() if not agrees(v, exact(point, n))}
    assert len(found) == len(point.book.quantities)
    assert not wrong


def exact(point: Any, name: str) -> Any:
    try:
        return point.evaluator.value(name)
    except (MissingValueError, EvaluationError):
        return None


def agrees(got: Any, expected: Any) -> bool:
    if isinstance(got, str) or isinstance(expected, str):
        return bool(got == expected or (got == "" and expected is None))
    if expected is None or got[0] is None:
        return got[0] is expected
    number = Fraction(float(got[0]))
    return abs(number - expected) <= Fraction(1, 10**9) * abs(expected) and (not got[1] or number == expected)


def test_a_slider_skips_what_cannot_be(lab: Open) -> None:
    page = lab()
    page.focus("[data-control=EP] input[type=range]")
    seen = []
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(40)
        seen.append(page.input_value("#field-EP"))
    assert seen == ["32", "16", "8", "4"]
    assert "EP=4" in page.url


def test_a_typed_value_that_cannot_be_says_why_and_offers_the_nearest(lab: Open) -> None:
    page = lab()
    page.fill("#field-EP", "48")
    page.keyboard.press("Enter")
    assert error(page, "EP").startswith("EP = 48 does not divide experts = 896; nearest that works: 32")
    assert page.get_attribute("#field-EP", "aria-invalid") == "true"
    assert value(page, "experts_per_rank")[0] == 14
    page.click("#error-EP .near >> nth=0")
    page.wait_for_timeout(60)
    assert page.input_value("#field-EP") == "32"
    assert error(page, "EP") == ""
    assert value(page, "experts_per_rank")[0] == 28


@pytest.mark.parametrize(
    ("name", "typed", "says"),
    [
        ("M", "0", "M must be a positive integer, not 0"),
        ("M", "many", "is no value: write an integer"),
        ("checkpoint", "2", "checkpoint must be 0 or 1, not 2"),
        ("documents", "1024,1024", "2048 is not 4096"),
        ("documents", "a,b", "is no value"),
        ("TP", "2", "TP = 2 is not 1"),
    ],
)
def test_what_is_typed_wrong_is_told_and_nothing_moves(lab: Open, name: str, typed: str, says: str) -> None:
    page = lab()
    before = page.evaluate(VALUES)
    page.fill(f"#field-{name}", typed)
    page.keyboard.press("Enter")
    assert says in error(page, name)
    assert page.evaluate(VALUES) == before


def test_a_machine_value_with_a_unit_and_back_to_the_preset(lab: Open) -> None:
    page = lab()
    page.click("summary:has-text('Machine')")
    page.fill("#field-nvlink_bandwidth", "200 GB/s")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.inner_text("#binds") == "NVLink binds"
    page.click("[data-control=nvlink_bandwidth] .back")
    page.wait_for_timeout(200)
    assert page.inner_text("#binds") == "Compute binds"
    assert "nvlink" not in page.url


def test_documents_of_different_lengths(lab: Open) -> None:
    page = lab()
    page.fill("#field-documents", "1024, 3072")
    page.keyboard.press("Enter")
    page.wait_for_timeout(80)
    assert value(page, "S_eff")[0] == 2560
    assert page.input_value("#field-doc_length") == ""
    page.fill("#field-doc_length", "2048")
    page.keyboard.press("Enter")
    page.wait_for_timeout(80)
    assert page.input_value("#field-documents") == ""
    assert value(page, "S_eff")[0] == 2048


def test_an_address_brings_everything_back(lab: Open) -> None:
    page = lab()
    page.select_option("#preset-run", "4k-ep32")
    page.click("#compare")
    page.fill("#field-M", "128")
    page.keyboard.press("Enter")
    page.click("summary:has-text('Dispatch')")
    page.select_option("#field-dispatch", "per_domain")
    page.wait_for_timeout(200)
    again = lab("#" + page.url.partition("#")[2])
    assert again.evaluate(VALUES) == page.evaluate(VALUES)
    assert again.inner_text("#figures") == page.inner_text("#figures")
    assert "beside" in again.url


@pytest.mark.parametrize(
    "fragment", ["#M=%FF", "#EP=48", "#model=none&run=none", "#beside=%25", "#" + "x" * 9000, "#stage=400", "#M=1/3"]
)
def test_an_address_of_nonsense_gives_a_page(lab: Open, fragment: str) -> None:
    page = lab(fragment)
    assert step(page) == "≈ 12.309 s"
    if "48" in fragment or "400" in fragment:
        assert "cannot be" in note(page)


def test_comparing_marks_what_differs(lab: Open) -> None:
    page = lab()
    page.click("#compare")
    page.fill("#field-M", "128")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    row = page.locator("#section-0 tr", has_text="compute_time")
    assert row.inner_text().split("\n")[-1].split("\t")[-3:] == ["≈ 22.189 s", "≈ 11.095 s", "× 2"] or "× 2" in row.inner_text()
    assert row.locator(".differs").count() == 1
    assert "beside ≈ 12.309 s" in page.inner_text("#head-step_time")
    page.click("#swap")
    page.wait_for_timeout(200)
    assert step(page) == "≈ 12.309 s"
    page.click("#compare")
    page.wait_for_timeout(300)
    assert page.locator("td.other").count() == 0


def test_comparing_two_models(lab: Open) -> None:
    page = lab()
    page.click("#compare")
    page.select_option("#preset-model", "deepseek-v3")
    settled(page)
    assert "× " in page.inner_text("#section-0")
    page.evaluate("document.querySelector('#all').open = true")
    page.wait_for_timeout(200)
    assert "not in this model" in page.inner_text("#every")


def test_a_number_opens_to_its_formula_and_its_parts(lab: Open) -> None:
    page = lab()
    page.click("#head-step_time .open")
    text = page.inner_text("#sheet")
    assert "Time of an update in the sketch" in text
    assert "the article: resource time plus bubble" in text
    assert "exactly 3833595" in text or "exactly " in text
    assert page.locator("#sheet math mfrac, #sheet math mo").count() > 0
    assert page.locator("#sheet tbody tr").count() > 5
    page.locator("#sheet dd button", has_text="bubble_time").click()
    assert "Idle time of the pipeline" in page.inner_text("#sheet")
    page.keyboard.press("Escape")
    assert not page.locator("#sheet").is_visible()
    assert page.evaluate("document.activeElement.dataset.open") == "step_time"


def test_the_substituted_line_has_the_numbers(lab: Open) -> None:
    page = lab()
    page.click("text=ring_all_gather_bytes >> nth=0")
    lines = page.locator("#sheet .lines").all_inner_texts()
    flat = ["".join(line.split()) for line in lines]
    assert flat[1].startswith("=2·")
    assert "64" in flat[1]
    assert page.locator("#sheet .lines >> nth=0").locator("[data-n=dense_FSDP]").count() == 1


def test_every_quantity_opens(lab: Open) -> None:
    page = lab()
    failed = page.evaluate("""() => Object.keys(lab.values()).filter((name) => {
        const button = document.createElement('button');
        button.dataset.open = name;
        document.body.append(button);
        button.click();
        const text = document.querySelector('#sheet-content').textContent;
        document.querySelector('#sheet').close();
        button.remove();
        const other = document.querySelector('#sheet-title code').textContent !== name;
        return other || /undefined|\\bNaN\\b/.test(text);
    })""")
    assert failed == []


def test_a_held_batch(lab: Open) -> None:
    page = lab("#rows=4")
    batch = value(page, "global_batch_tokens")[0]
    page.select_option("#hold", "rows")
    page.fill("#field-M", "128")
    page.keyboard.press("Enter")
    page.wait_for_timeout(80)
    assert page.input_value("#field-rows") == "2"
    assert value(page, "global_batch_tokens")[0] == batch
    page.fill("#field-M", "96")
    page.keyboard.press("Enter")
    assert "rows would have to be 8/3" in error(page, "M")
    assert value(page, "global_batch_tokens")[0] == batch


def test_sensitivities_and_a_sweep_follow(lab: Open) -> None:
    page = lab()
    page.select_option("#swept", "nvlink_bandwidth")
    page.wait_for_timeout(100)
    says = page.inner_text("#picture-curve figcaption")
    assert "compute takes over from NVLink" in says
    page.select_option("#asked", "nvlink_time")
    page.wait_for_timeout(100)
    assert "Elasticities of nvlink_time" in page.inner_text("#picture-elasticity figcaption")


def test_measured_runs_stay_as_they_are(lab: Open) -> None:
    page = lab()
    before = page.inner_text("#measured")
    page.evaluate("for (const d of document.querySelectorAll('#measured details')) d.open = true")
    before = page.inner_text("#measured")
    assert "627.3 tokens/s/GPU" in before
    page.fill("#field-M", "8")
    page.keyboard.press("Enter")
    page.wait_for_timeout(150)
    assert page.inner_text("#measured") == before


def test_what_gives_way_is_not_moved_itself(lab: Open) -> None:
    page = lab("#rows=4")
    assert page.inner_text("#held-value") == "67,108,864 token/update"
    batch = value(page, "global_batch_tokens")
    page.select_option("#hold", "rows")
    page.fill("#field-rows", "8")
    page.keyboard.press("Enter")
    assert error(page, "rows") == "rows gives way so that global_batch_tokens is held: move something else, or let it go"
    page.fill("#field-M", "128")
    page.keyboard.press("Enter")
    page.wait_for_timeout(60)
    assert (page.input_value("#field-rows"), value(page, "global_batch_tokens")) == ("2", batch)
    assert "hold=rows" in page.url
    page.reload()
    settled(page)
    assert page.input_value("#hold") == "rows"


def test_a_link_that_cannot_be_says_what_it_lost_and_what_would_work(lab: Open) -> None:
    page = lab("#EP=48")
    assert "EP = 48 does not divide experts = 896; nearest EP that works: 32, 64" in note(page)
    page.fill("#field-M", "32")
    page.keyboard.press("Enter")
    assert note(page) == ""
    page = lab("#foo=1&rows=2&M=abc&beside=EP%3D48")
    assert note(page).startswith("Not taken over from the address: foo = 1; M = abc.")
    assert "beside it cannot be: EP = 48 does not divide experts = 896" in note(page)
    assert page.input_value("#field-rows") == "2"


def test_what_a_preset_warns_of_is_told(lab: Open) -> None:
    page = lab("#run=64k")
    assert "the communication of context parallelism is not priced" in page.inner_text("#caution")
    page.select_option("#preset-run", "4k-reference")
    settled(page)
    assert page.inner_text("#caution") == ""


def test_a_machine_without_a_figure_has_no_step_and_says_which_is_missing(lab: Open) -> None:
    page = lab()
    page.select_option("#preset-machine", "h800-sxm")
    settled(page)
    assert page.inner_text("#binds") == "No step can be sketched"
    assert "hbm_bandwidth" in page.inner_text("#margin")
    assert page.inner_text("#head-MFU .verdict") == ""
    assert page.inner_text("#title") == page.title().split(" · ")[0] == "kimi-k3 on h800-sxm"


def test_back_takes_the_last_change_back(lab: Open) -> None:
    page = lab()
    for m in ("32", "96"):
        page.fill("#field-M", m)
        page.keyboard.press("Enter")
        page.wait_for_timeout(250)
    page.go_back()
    page.wait_for_timeout(150)
    assert page.input_value("#field-M") == "32"
    page.go_back()
    page.wait_for_timeout(150)
    assert page.input_value("#field-M") == "64"
    page.go_forward()
    page.wait_for_timeout(150)
    assert page.input_value("#field-M") == "32"


def test_a_value_that_the_presets_have_is_no_departure(lab: Open) -> None:
    page = lab("#M=32")
    page.fill("#field-M", "64")
    page.keyboard.press("Enter")
    page.wait_for_timeout(60)
    assert page.inner_text("#departures") == "as the presets have it"


def test_another_preset_keeps_the_settings_that_fit_it(lab: Open) -> None:
    page = lab("#M=96&context=8192&doc_length=8192")
    page.select_option("#preset-run", "64k")
    settled(page)
    assert page.input_value("#field-M") == "96"


def test_what_stands_beside_is_named(lab: Open) -> None:
    page = lab("#beside=M%3D32%26model%3Ddeepseek-v3")
    assert (
        page.inner_text("#beside-says")
        == "Beside, in grey: deepseek-v3 on gb200-nvl72 at deepseek-v3+gb200-nvl72+4k-reference, M = 32."
    )


def test_a_curve_stays_in_its_picture(lab: Open) -> None:
    page = lab("#run=256-gpu-2k")
    page.select_option("#asked", "memory_headroom")
    page.select_option("#swept", "rows")
    page.wait_for_timeout(150)
    box = page.locator("#picture-curve svg").bounding_box()
    line = page.locator("#picture-curve svg path.l0").bounding_box()
    assert box["y"] <= line["y"]
    assert line["y"] + line["height"] <= box["y"] + box["height"]
    page.select_option("#asked", "memory_peak")
    page.wait_for_timeout(150)
    assert page.locator("#picture-curve .limit").count() == 1
    assert "binds" not in page.inner_text("#picture-curve figcaption")


def test_kernels_below_the_lowest_decade_are_still_in_the_roofline(lab: Open) -> None:
    page = lab("#context=1&doc_length=1&EP=1")
    box = page.locator("#picture-roofline svg").bounding_box()
    for mark in page.locator("#picture-roofline circle").all():
        dot = mark.bounding_box()
        assert box["y"] <= dot["y"]
        assert dot["y"] + dot["height"] <= box["y"] + box["height"]


def test_idle_time_in_the_schedule_is_the_bubble(lab: Open) -> None:
    page = lab()
    drawn = page.evaluate("""() => {
        const widths = [...document.querySelectorAll('#picture-schedule path')].flatMap((p) =>
            [...p.getAttribute('d').matchAll(/h([\\d.]+)v/g)].map((m) => Number(m[1])));
        const idle = document.querySelector('#picture-schedule .idle').getBBox().width * 8;
        return widths.reduce((a, b) => a + b, 0) / idle;
    }""")
    assert 1 / drawn - 1 == pytest.approx(7 / 64, abs=0.01)


@pytest.mark.parametrize("width", [390, 820])
def test_a_phone_shows_the_step_while_a_control_moves(lab: Open, width: int) -> None:
    page = lab(width=width)
    page.locator("#field-EP").scroll_into_view_if_needed()
    assert page.locator("#now").is_visible()
    assert page.inner_text("#now").startswith("Compute binds · time of an update ≈ 12.309 s")


def test_what_is_shared_is_the_same_run(lab: Open, capsys: pytest.CaptureFixture[str]) -> None:
    page = lab("#M=96&dispatch=per_rank&nvlink_bandwidth=450%20GB/s")
    words = [w.strip("'") for w in page.evaluate("(names) => lab.command(names)", NAMES).replace("450 GB/s", "450_GB/s").split()]
    assert main([*[w.replace("450_GB/s", "450 GB/s") for w in words[1:]], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["values"]
    page.click(".menu summary")
    page.click("#share-json")
    shared = json.loads(page.input_value("#share-text"))["values"]
    assert {n: told[n]["exact"] for n in NAMES} == {n: shared[n]["exact"] for n in NAMES}
    page.keyboard.press("Escape")
    page.click(".menu summary")
    page.click("#share-markdown")
    assert "| `step_time` | ≈ " in page.input_value("#share-text")
    page.keyboard.press("Escape")
    page.click(".menu summary")
    page.click("#share-link")
    assert page.input_value("#share-text").startswith("file:")
    assert "M=96" in page.input_value("#share-text")


def test_the_page_by_keyboard_alone(lab: Open) -> None:
    page = lab()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "field-M":
            break
    page.keyboard.press("Control+a")
    page.keyboard.type("128")
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    assert step(page) == "≈ 23.404 s"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(100)
    assert page.input_value("#field-M") == "120"
    page.focus("#head-MFU .open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "sheet-close"
    page.keyboard.press("Enter")
    assert not page.locator("#sheet").is_visible()


def test_a_change_is_told_once_it_stands_still(lab: Open) -> None:
    page = lab()
    page.wait_for_timeout(1100)
    page.evaluate(
        """() => {
            window.told = 0;
            const count = () => { window.told += 1; };
            new MutationObserver(count).observe(document.querySelector('#spoken'), { childList: true });
        }"""
    )
    page.focus("[data-control=M] input[type=range]")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1300)
    assert page.evaluate("window.told") == 1
    assert "time of an update" in page.inner_text("#spoken")


def test_everything_is_found(lab: Open) -> None:
    page = lab()
    page.click("#all summary")
    page.fill("#search", "hierarchical import")
    page.wait_for_timeout(80)
    assert page.locator("#every tbody tr").count() >= 3
    page.fill("#search", "no such thing")
    assert page.inner_text("#count").startswith("0 of")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_page(lab: Open, width: int) -> None:
    page = lab("#beside=M%3D32", width)
    assert page.evaluate(STICKS_OUT) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_contrast_and_labels(lab: Open, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page = lab("#beside=M%3D32", width, color_scheme=scheme)
    page.evaluate("for (const d of document.querySelectorAll('details:not(#all)')) d.open = true")
    page.wait_for_timeout(200)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_sheet_is_labelled(lab: Open) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page = lab()
    page.click("#head-MFU .open")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_it_prints_light_without_its_controls(lab: Open) -> None:
    page = lab(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("aside").is_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert page.locator("#picture-composition svg").is_visible()


def test_without_scripts_it_says_what_it_needs(browser: Any, lab_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(lab_file.as_uri())
    assert page.locator("noscript").inner_text().startswith("This page computes")
    context.close()


def test_the_page_is_small_and_the_same_each_time(lab_file: Path) -> None:
    assert lab_file.stat().st_size < 1_500_000
    assert lab_page(BOOK) == lab_file.read_text(encoding="utf-8")
    assert (TEMPLATES / "tokens.css").read_text(encoding="utf-8") in lab_file.read_text(encoding="utf-8")

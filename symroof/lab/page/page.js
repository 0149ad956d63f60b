/** The page: one state in force, perhaps another beside it, and everything that is shown of them. */

import { code } from "./code.js";
import { controls, presets } from "./controls.js";
import { at, el, math, prose } from "./dom.js";
import { Book, State } from "./lab.js";
import { symbol } from "./mathml.js";
import { text } from "./numbers.js";
import { bound, composition, curve, elasticity, paper, roofline, schedule } from "./pictures.js";
import { binding, holding, margin, sensitivities, sweep } from "./questions.js";
import { asJson, asMarkdown, command, describe, fragment, parseFragment, titleOf } from "./share.js";
import { Table, across, difference, down, lacking, movers, moving, put, sheet, shown } from "./show.js";

/** @typedef {import("./lab.js").Configuration} Configuration */
/** @typedef {import("./arithmetic.js").Fraction} Fraction */

/* Milliseconds after a change: what takes many states, and what is said. */
const SETTLED = 90, SILENCE = 900;
const NARROWEST = 340, WIDEST = 720;
const MOST_ROWS = 128, MOST_SHOWN = 40;
const book = new Book(JSON.parse(at("data").textContent), code);
const { lab } = book.data;
let state = book.presets(book.start());
/** @type {State | null} */
let beside = null;
/** @type {{refresh: (s: State, o: State | null) => void}[]} */
let tables = [];
/** @type {{element: HTMLElement, refresh: () => void}[]} */
let groups = [];
/** @type {{kind: string, select: any}[]} */
let selects = [];
let resting = false, layout = "", pending = 0, speaking = 0, settling = 0;
/** @type {Map<string, number>} the width of each picture */
const widths = new Map();

/** Take settings over, or say why not. @param {Record<string, string | null>} settings @returns {string} */
function propose(settings) {
    for (const [name, typed] of Object.entries(settings)) {
        if (typed === null || name in book.data.conventions) continue;
        const value = state.reads(name, typed);
        if (typeof value === "string") return value;
    }
    const wanted = held(departing(state.with(settings), Object.keys(settings)), Object.keys(settings));
    if (typeof wanted === "string") return wanted;
    const there = new State(book, wanted), [broken] = there.broken();
    if (broken) return broken.says;
    at("note").textContent = "";
    become(there);
    return "";
}

/** The configuration without settings that say what its presets say. @param {Configuration} wanted @param {string[]} changed @returns {Configuration} */
function departing(wanted, changed) {
    const plain = book.presets(wanted), set = { ...wanted.set };
    const same = (/** @type {string} */ name) => {
        if (plain.choices.has(name)) return plain.choices.get(name) === set[name];
        const typed = plain.reads(name, set[name]), given = plain.given.get(name);
        return typeof typed === "object" && !Array.isArray(typed) && given !== undefined && text(typed) === text(given);
    };
    for (const name of changed) if (name in set && same(name)) delete set[name];
    return { ...wanted, set };
}

/** The configuration in which what is held keeps its value. @param {Configuration} wanted @param {string[]} changed @returns {Configuration | string} */
function held(wanted, changed) {
    const by = at("hold").value;
    if (!by || !state.has(lab.hold)) return wanted;
    if (changed.includes(by)) return `${by} gives way so that ${lab.hold} is held: move something else, or let it go`;
    const found = holding(state, wanted, lab.hold, by);
    return typeof found === "string" ? `${lab.hold} is held: ${found}` : found;
}

/** True where a single value could be taken over. @param {string} name @param {Fraction} value */
function may(name, value) {
    if (!at("hold").value) return state.trial(name)(value);
    const wanted = held(state.with({ [name]: text(value) }), [name]);
    return typeof wanted !== "string" && new State(book, wanted).admissible;
}

/** @param {State} there */
function become(there) {
    state = there;
    if (!pending) pending = requestAnimationFrame(update);
}

/**
 * A preset was chosen; a model brings its usual run along where the run was the usual one before, and a run that does not fit
 * gives way. @param {string} kind @param {string} name
 */
function take(kind, name) {
    const wanted = { ...state.configuration, [kind]: name };
    const whole = runsFor(kind, wanted).map((run) => new State(book, { ...wanted, run, set: kept(wanted) }));
    const found = whole.find((s) => s.admissible) ?? runsFor(kind, wanted).map((run) => fitting({ ...wanted, run, set: kept(wanted) })).find((s) => s.admissible);
    if (!found) {
        refuse(new State(book, wanted));
        return;
    }
    const { run, set } = found.configuration, lost = Object.keys(wanted.set).filter((n) => !(n in set));
    at("note").textContent = [
        run === wanted.run ? "" : `The run is now ${run}, which fits ${wanted.model}.`,
        lost.length ? `Back at the presets, because it did not fit: ${lost.join(", ")}.` : "",
    ].join(" ").trim();
    become(found);
}

/** The runs to try, the likeliest first. @param {string} kind @param {Configuration} wanted @returns {string[]} */
function runsFor(kind, wanted) {
    if (kind === "run") return [wanted.run];
    const { model, run } = book.data.presets, first = book.data.start.run;
    const usual = (/** @type {string} */ m) => model[m].run ?? first;
    const likely = kind === "model" && wanted.run === usual(state.configuration.model) ? [usual(wanted.model), wanted.run] : [wanted.run, usual(wanted.model)];
    return [...new Set([...likely, first, ...Object.keys(run)])];
}

/** As many of the settings as fit together, the first ones first. @param {Configuration} wanted */
function fitting(wanted) {
    let found = book.presets(wanted);
    for (const [name, typed] of Object.entries(wanted.set)) {
        const more = new State(book, found.with({ [name]: typed }));
        if (more.admissible) found = more;
    }
    return found;
}

/** The settings that a model knows. @param {Configuration} wanted */
function kept(wanted) {
    const there = book.presets(wanted);
    return Object.fromEntries(Object.entries(wanted.set).filter(([n]) => there.has(n) || there.choices.has(n) || n in there.structure.lists));
}

/** Say why a run cannot exist, and stay where we are. @param {State} there */
function refuse(there) {
    const { model, machine, run, set } = there.configuration, [first] = [...there.ignored.map((n) => `${n} is not to be read`), ...there.broken().map((b) => b.says)];
    const settings = Object.entries(set).map(([n, v]) => `, ${n} = ${v}`).join("");
    at("note").textContent = `${model} + ${machine} + ${run}${settings} cannot be: ${first}${nearby(there)}.`;
    for (const { kind, select } of selects) select.value = state.configuration[/** @type {"model"} */ (kind)];
}

/* What is shown. */

function update() {
    pending = 0;
    for (const { kind, select } of selects) select.value = state.configuration[/** @type {"model"} */ (kind)];
    for (const group of groups) group.refresh();
    if (layout === shape()) for (const table of tables) table.refresh(state, beside);
    headline();
    picture("composition", () => composition(state, beside));
    picture("roofline", () => roofline(state));
    picture("schedule", () => schedule(state));
    clearTimeout(settling);
    settling = setTimeout(settle, SETTLED);
    at("departures").replaceChildren(...departures());
    put(at("held-value"), state.has(lab.hold) ? shown(state, lab.hold) : "");
    entitle();
    const shared = fragment(book, state.configuration, beside?.configuration, at("hold").value);
    remember(shared ? `#${shared}` : location.pathname + location.search);
    clearTimeout(speaking);
    speaking = setTimeout(speak, SILENCE);
}

/** One entry of the history for each change that came to rest, however far a slider went. @param {string} address */
function remember(address) {
    const here = address.startsWith("#") ? location.hash === address : location.hash === "";
    if (!here && resting) history.pushState(null, "", address);
    else if (!here) history.replaceState(null, "", address);
    resting = false;
}

/** What the page is about, and what stands beside it. */
function entitle() {
    const title = titleOf(state);
    put(at("title"), title);
    document.title = `${title} · roofline lab`;
    const { model, machine, run } = book.data.presets, { configuration } = state;
    put(at("says"), [model[configuration.model], machine[configuration.machine], run[configuration.run]].map((p) => p.says).join(" · "));
    const cautions = [model[configuration.model], machine[configuration.machine], run[configuration.run]].flatMap((p) => p.cautions ?? []);
    put(at("caution"), cautions.map((/** @type {string} */ c) => `${c[0].toUpperCase()}${c.slice(1)}.`).join(" "));
    put(at("beside-says"), beside ? `Beside, in grey: ${describe(book, beside)}.` : "");
    put(at("inputs"), lab.controls.slice(0, 2).flatMap((/** @type {any} */ g) => g.names).filter((/** @type {string} */ n) => state.given.has(n)).map((/** @type {string} */ n) => `${n} ${shown(state, n)}`).join(" · "));
}

/** What the tables are made for: the names of the states. */
function shape() {
    return `${state.number} ${beside?.number ?? ""}`;
}

/** What takes many states follows once a slider rests. */
function settle() {
    resting = true;
    if (layout !== shape()) lay(shape());
    sections();
    ask();
}

/** Make the tables of a structure. @param {string} key */
function lay(key) {
    layout = key;
    tables = [];
    for (const [i, section] of lab.sections.entries()) {
        const names = section.quantities.filter((/** @type {string} */ n) => state.has(n));
        at(`section-${i}`).hidden = names.length === 0;
        if (section.under || section.over || !names.length) continue;
        at(`content-${i}`).replaceChildren(listed(section.title, names));
    }
    at("hold-box").hidden = !state.has(lab.hold);
    fill(at("asked"), quantities().filter((n) => !state.structure.names[n]), lab.step, (n) => book.data.chapters[book.data.names[n].c] ?? "");
    fill(at("swept"), movable(), lab.swept, (n) => lab.controls.find((/** @type {any} */ g) => g.names.includes(n))?.title ?? "What is left");
    at("omits").replaceChildren(...state.structure.omits.map((/** @type {string} */ o) => el("li", {}, prose(o))));
    search();
}

/** @param {string} title @param {string[]} names */
function listed(title, names) {
    const table = new Table(title, names, state, beside);
    tables.push(table);
    return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": title }, table.element);
}

/** @returns {string[]} */
function quantities() {
    return state.structure.quantities.map((/** @type {number} */ s) => book.nameOf[s]);
}

/** What has another value to go to, controls first. @returns {string[]} */
function movable() {
    const named = lab.controls.flatMap((/** @type {any} */ g) => g.names), rank = (/** @type {string} */ n) => (named.includes(n) ? named.indexOf(n) : named.length);
    return [...state.given.keys()].filter((n) => state.structure.symbols.includes(n) && state.values(n).length > 1).sort((a, b) => rank(a) - rank(b));
}

/** @param {any} select @param {string[]} names @param {string} first @param {(name: string) => string} group */
function fill(select, names, first, group) {
    const chosen = names.includes(select.value) ? select.value : first, parts = [...new Set(names.map(group))];
    select.replaceChildren(...parts.map((g) => el("optgroup", { label: g }, names.filter((n) => group(n) === g).map((n) => el("option", { value: n }, n)))));
    select.value = names.includes(chosen) ? chosen : names[0];
}

function headline() {
    const binds = bound(state, binding(state));
    put(at("binds"), binds ? `${binds[0].toUpperCase()}${binds.slice(1)} binds` : "No step can be sketched");
    put(at("margin"), binds || !state.has(lab.step) ? margin(state) : `${labelled(lab.step)}: ${lacking(state, lab.step)}.`);
    for (const name of lab.headline) {
        const box = at(`head-${name}`);
        box.hidden = !state.has(name);
        if (box.hidden) continue;
        put(box.querySelector(".big"), shown(state, name));
        const { value, missing, none } = state.value(name);
        put(box.querySelector(".verdict"), state.book.unit(name) === "1" && !missing && !none ? `${(value * 100).toFixed(2)}%` : "");
        put(box.querySelector(".than"), beside ? [`beside ${shown(beside, name)}`, difference(state, beside, name)].filter(Boolean).join(": ") : "");
    }
    budget();
    const [first, ...rest] = lab.headline.filter((/** @type {string} */ n) => state.has(n)).map((/** @type {string} */ n) => `${labelled(n)} ${shown(state, n)}`);
    put(at("now"), [at("binds").textContent, first, ...rest.slice(-1)].join(" · "));
}

/** @param {string} name */
function labelled(name) {
    return lab.labels?.[name] ?? name.replace(/_/g, " ");
}

/** Whether what is needed is there. */
function budget() {
    const { of, limit } = lab.budget ?? {}, box = of && at(`head-${of}`)?.querySelector(".verdict");
    if (!box || !state.has(of) || !state.has(limit)) return;
    const fits = state.value(of).value <= state.value(limit).value;
    put(box, state.value(limit).missing ? "" : `${fits ? "fits" : "does not fit"} ${shown(state, limit)}`);
    box.classList.toggle("bad", !fits);
}

/** Sections with a column for each choice, or for each value. */
function sections() {
    for (const [i, section] of lab.sections.entries()) {
        const names = section.quantities.filter((/** @type {string} */ n) => state.has(n));
        if (!(section.under || section.over) || !names.length) continue;
        const columns = section.under ? choicesOf(section.under) : valuesOf(section.over);
        at(`section-${i}`).hidden = columns.length === 0;
        if (columns.length) at(`content-${i}`).replaceChildren(section.over ? down(section.title, section.over, names, columns) : across(section.title, names, columns));
    }
}

/** @param {string} convention */
function choicesOf(convention) {
    const inForce = state.choices.get(convention);
    if (inForce === undefined) return [];
    return Object.keys(book.data.conventions[convention].choices).map((choice) => ({
        says: choice === inForce ? `${choice} (in force)` : choice,
        state: choice === inForce ? state : new State(book, state.with({ [convention]: choice })),
    }));
}

/** @param {string} over */
function valuesOf(over) {
    return state.values(over).filter(state.trial(over)).slice(0, MOST_ROWS).map((v) => ({ says: text(v), state: new State(book, state.with({ [over]: text(v) })) }));
}

function ask() {
    const of = at("asked").value, over = at("swept").value;
    const moves = of && state.has(of) ? sensitivities(state, of) : [];
    picture("elasticity", () => elasticity(state, moves, of));
    at("movers").replaceChildren(...(moves.length ? [movers(state, of, moves.filter(moving))] : []));
    picture("curve", () => (of && over && state.given.has(over) ? curve(state, over, [of], sweep(state, over, [of])) : null));
}

/** Draw a picture in the width that it has. @param {string} id @param {() => import("./pictures.js").Picture | null} draw */
function picture(id, draw) {
    const figure = at(`picture-${id}`);
    paper.wide = widths.get(id) ?? paper.wide;
    const drawn = draw();
    figure.hidden = !drawn;
    if (!drawn) return;
    // The markup is the page's own.
    figure.firstElementChild.innerHTML = drawn.svg;
    put(figure.lastElementChild, drawn.says);
}

function departures() {
    const set = Object.entries(state.configuration.set).map(([n, v]) => [n, v.length > MOST_SHOWN ? `${v.slice(0, MOST_SHOWN)}… (${v.split(",").length})` : v]);
    if (!set.length) return [el("span", { class: "faint" }, "as the presets have it")];
    return [...set.map(([n, v]) => el("code", {}, `${n} = ${v}`)), el("button", { type: "button", onclick: allBack }, "all back")];
}

function allBack() {
    at("hold").value = "";
    become(book.presets(state.configuration));
    at("results").focus();
}

/** What changed, in a sentence, once it stands still. */
function speak() {
    const parts = lab.headline.filter((/** @type {string} */ n) => state.has(n)).map((/** @type {string} */ n) => `${labelled(n)} ${shown(state, n)}`);
    at("spoken").textContent = `${at("binds").textContent}. ${at("margin").textContent} ${parts.join(", ")}.`;
}

/* Every quantity, found by name, symbol or text. */

function search() {
    const wanted = at("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const every = [...state.structure.symbols.filter((/** @type {string} */ n) => !(n in state.structure.lists)), ...quantities()];
    const names = every.filter((n) => wanted.every((/** @type {string} */ w) => `${n} ${book.data.texts[book.data.names[n].s]}`.toLowerCase().includes(w)));
    const box = at("every");
    tables = tables.filter((t) => t !== /** @type {any} */ (box).table);
    put(at("count"), `${names.length} of ${every.length}`);
    if (!at("all").open) return;
    const table = new Table("Every quantity", names, state, beside);
    box.table = table;
    tables.push(table);
    box.replaceChildren(table.element);
}

/* Sharing and comparing. */

/** @param {string} title @param {string} content */
function share(title, content) {
    closeMenus();
    at("share-title").textContent = title;
    at("share-text").value = content;
    at("share").showModal();
    at("share-text").select();
    navigator.clipboard?.writeText(content).then(() => put(at("copied"), "copied"), () => put(at("copied"), "select and copy"));
}

function wire() {
    const names = [lab.binding, ...lab.headline];
    const click = (/** @type {string} */ id, /** @type {() => void} */ act) => at(id).addEventListener("click", act);
    click("share-link", () => share("Link to this configuration", location.href));
    const all = () => names.concat(lab.sections.flatMap((/** @type {any} */ s) => (s.over ? [] : s.quantities))).filter((n, i, found) => found.indexOf(n) === i);
    const both = () => [state, ...(beside ? [beside] : [])];
    click("share-command", () => share("Command with the same values", both().map((s) => command(s, names)).join("\n")));
    click("share-json", () => share("JSON", both().map((s) => asJson(s, [...names, ...quantities()])).join("\n")));
    click("share-markdown", () => share("Markdown", asMarkdown(both(), all())));
    click("compare", () => compare(beside ? null : state));
    click("swap", () => {
        if (beside) [state, beside] = [beside, state];
        update();
    });
    click("print", () => {
        closeMenus();
        window.print();
    });
    at("hold").addEventListener("change", update);
    addEventListener("keydown", (event) => event.key === "Escape" && closeMenus());
    addEventListener("beforeprint", () => document.querySelectorAll(".omits").forEach((d) => d.setAttribute("open", "")));
    for (const id of ["asked", "swept"]) at(id).addEventListener("change", ask);
    at("search").addEventListener("input", search);
    at("all").addEventListener("toggle", search);
    at("theme").addEventListener("change", () => (document.documentElement.dataset.theme = at("theme").value));
    document.addEventListener("click", (event) => {
        const name = /** @type {HTMLElement} */ (event.target).closest?.("[data-open]")?.getAttribute("data-open");
        if (name) show(name);
        if (!(/** @type {HTMLElement} */ (event.target).closest?.(".menu"))) closeMenus();
    });
    for (const id of ["sheet", "share"]) at(id).addEventListener("click", (/** @type {any} */ e) => e.target === at(id) && at(id).close());
    addEventListener("resize", () => measure() && update());
    addEventListener("popstate", () => restore(location.hash));
}

function closeMenus() {
    for (const menu of document.querySelectorAll(".menu[open]")) menu.removeAttribute("open");
}

/** Take the widths of the figures, so that letters in pictures have the size of letters; true where one is another than before. */
function measure() {
    let moved = false;
    for (const figure of document.querySelectorAll("figure[id^=picture-]")) {
        const id = figure.id.slice("picture-".length), before = widths.get(id) ?? paper.wide;
        const wide = Math.max(NARROWEST, Math.min(WIDEST, figure.clientWidth || before));
        if (Math.abs(wide - before) < 8) continue;
        widths.set(id, wide);
        moved = true;
    }
    return moved;
}

/** @param {string} name */
function show(name) {
    sheet(state, name);
    if (!at("sheet").open) at("sheet").showModal();
    at("sheet").scrollTop = 0;
    at("sheet-close").focus();
}

/** @param {State | null} other */
function compare(other) {
    beside = other;
    document.documentElement.classList.toggle("comparing", Boolean(other));
    put(at("compare"), other ? "Stop comparing" : "Keep this beside");
    at("swap").hidden = !other;
    update();
}

/** What an address says; a run that cannot be is told, and the presets are shown. @param {string} shared */
function restore(shared) {
    const said = parseFragment(book, shared), there = new State(book, said.configuration);
    state = there.admissible ? there : book.presets(said.configuration);
    if (!state.admissible) state = book.presets(book.start());
    at("note").textContent = said.dropped.length ? `Not taken over from the address: ${said.dropped.join("; ")}.` : "";
    if (state !== there) refuse(there);
    at("hold").value = state.has(lab.hold) ? said.hold : "";
    const other = said.beside && new State(book, said.beside);
    if (other && !other.admissible) at("note").append(` What was to stand beside it cannot be: ${other.broken()[0]?.says}.`);
    compare(other?.admissible ? other : null);
}

/** The values of a single setting that would work. @param {State} there */
function nearby(there) {
    for (const [name, typed] of Object.entries(there.configuration.set)) {
        const without = new State(book, there.with({ [name]: null })), value = there.reads(name, typed);
        if (!without.admissible || typeof value === "string" || Array.isArray(value)) continue;
        const near = without.nearest(name, value).map(text);
        if (near.length) return `; nearest ${name} that works: ${near.join(", ")}`;
    }
    return "";
}

/** The parts of the page that no state changes. */
function frame() {
    selects = presets(book, take);
    groups = controls({ state: () => state, propose, may });
    at("groups").append(...groups.map((g) => g.element));
    at("figures").append(...lab.headline.filter((/** @type {string} */ n) => n in book.data.names).map((/** @type {string} */ n) =>
        el("div", { id: `head-${n}`, class: "figure" }, el("button", { type: "button", class: "open", "data-open": n, "aria-haspopup": "dialog" }, el("span", { class: "what" }, labelled(n)), el("span", { class: "big" })), el("span", { class: "verdict" }), el("span", { class: "than" }))));
    at("sections").append(...lab.sections.map((/** @type {any} */ s, /** @type {number} */ i) => el("section", { id: `section-${i}`, class: s.over || s.under ? "broad" : "", "aria-labelledby": `title-${i}` }, el("h2", { id: `title-${i}` }, s.title), el("p", { class: "says" }, prose(s.says)), el("div", { id: `content-${i}` }))));
    at("hold").append(...lab.hold_by.map((/** @type {string} */ n) => el("option", { value: n }, `hold it, ${n} gives way`)));
    put(at("held"), labelled(lab.hold));
    at("measured").append(...book.data.measured.map(measured));
}

/** @param {any} run a measured run: its values are those of its own preset, whatever the controls say */
function measured(run) {
    const facts = el("dl", { class: "facts" }, run.facts.flatMap((/** @type {string[]} */ [term, says]) => [el("dt", {}, term), el("dd", {}, says)]));
    const table = el("table", {}, el("caption", { class: "unseen" }, run.name), el("thead", {}, el("tr", {}, ["quantity", ...run.columns].map((c) => el("th", { scope: "col" }, c)))), el("tbody", {}, run.rows.map((/** @type {string[]} */ [n, ...cells]) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, n)), cells.map((c) => el("td", { class: "val" }, c))))));
    return el("details", { class: "run" }, el("summary", {}, run.name), el("p", {}, prose(run.says)), facts, el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": run.name }, table), run.caution ? el("p", { class: "caution" }, run.caution) : null, el("p", { class: "faint" }, `Source: ${run.source}. At ${run.at}.`));
}

/** What the browser tests and the benchmark ask. */
Object.assign(window, {
    lab: {
        values: () => Object.fromEntries(quantities().map((n) => [n, state.largest(n)?.join(", ") ?? [state.value(n).missing || state.value(n).none ? null : state.value(n).value, state.value(n).exact]])),
        compute: (/** @type {Record<string, string>} */ settings) => new State(book, state.with(settings)),
        command: (/** @type {string[]} */ names) => command(state, names),
        symbol: (/** @type {string} */ name) => math(symbol(state, book.slot(name))),
        propose,
    },
});

frame();
wire();
restore(location.hash);
requestAnimationFrame(() => measure() && update());
performance.mark("interactive");

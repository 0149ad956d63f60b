/** Values on the page: cells that are refreshed, tables of them, and the sheet that a value opens to. */

import { at, el, math, prose } from "./dom.js";
import { formulaOf, markup, number, symbol } from "./mathml.js";
import { grouped, humane, showsExactly, text, thousands } from "./numbers.js";
import { kinked, sensitivities, underChoices } from "./questions.js";

/** @typedef {import("./lab.js").State} State */

/** A value in words, with a sign where it is rounded. @param {State} state @param {string} name */
export function shown(state, name) {
    if (!state.has(name)) return "not in this model";
    const largest = state.largest(name);
    if (largest) return largest.length ? state.called(largest, " = ") : "no value";
    const { value, exact, missing, none } = state.value(name), unit = state.book.unit(name);
    if (missing || none) return missing && state.structure.symbols.includes(name) ? "not given" : "no value";
    return `${exact && showsExactly(value, unit) ? "" : "≈ "}${humane(value, unit)}`;
}

/** What another state has of the same, as a ratio. @param {State} state @param {State} other @param {string} name */
export function difference(state, other, name) {
    if (!state.has(name) || !other.has(name)) return "";
    if (state.largest(name)) return shown(state, name) === shown(other, name) ? "same" : "differs";
    const [a, b] = [state.value(name), other.value(name)];
    if (a.missing || a.none || b.missing || b.none) return "";
    if (a.value === b.value) return "same";
    return b.value ? `× ${grouped(Number((a.value / b.value).toPrecision(4)))}` : "from 0";
}

/** A button that opens the sheet of a name. @param {string} name @param {any[]} content */
export function opener(name, ...content) {
    return el("button", { type: "button", class: "open", "data-open": name, "aria-haspopup": "dialog" }, ...content);
}

/** Rows of names with their values and, beside another state, with its values. */
export class Table {
    /** @param {string} caption @param {string[]} names @param {State} state @param {State | null} other */
    constructor(caption, names, state, other) {
        /** @type {{name: string, cells: HTMLElement[]}[]} */
        this.rows = [];
        this.element = el("table", {}, el("caption", { class: "unseen" }, caption));
        const heads = ["quantity", "value", ...(other ? ["beside", "value over beside"] : [])];
        this.element.append(el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col" }, h)))));
        const body = el("tbody");
        for (const name of names) {
            const cells = [el("td", { class: "val" }), ...(other ? [el("td", { class: "val other" }), el("td", { class: "ratio" })] : [])];
            const [says] = state.book.data.texts[state.book.data.names[name].s].split("\n");
            body.append(el("tr", {}, el("th", { scope: "row" }, opener(name, math(symbol(state, state.book.slot(name))), el("code", {}, name)), el("small", {}, prose(says))), ...cells));
            this.rows.push({ name, cells });
        }
        this.element.append(body);
        this.refresh(state, other);
    }

    /** @param {State} state @param {State | null} other */
    refresh(state, other) {
        for (const { name, cells } of this.rows) {
            put(cells[0], shown(state, name));
            if (!other || cells.length < 3) continue;
            put(cells[1], shown(other, name));
            put(cells[2], difference(state, other, name));
            cells[2].classList.toggle("differs", cells[2].textContent !== "same" && cells[2].textContent !== "");
        }
    }
}

/** @param {HTMLElement} element @param {string} content */
export function put(element, content) {
    if (element.textContent !== content) element.textContent = content;
}

/** Values of something down, names across: as many rows as it has values. @param {string} caption @param {string} what @param {string[]} names @param {{says: string, state: State}[]} rows */
export function down(caption, what, names, rows) {
    const heads = names.map((n) => el("th", { scope: "col" }, opener(n, el("code", {}, n))));
    const body = rows.map((r) => el("tr", {}, el("th", { scope: "row" }, r.says), names.map((n) => el("td", { class: "val" }, shown(r.state, n)))));
    const table = el("table", { class: "down" }, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, el("th", { scope: "col" }, what), heads)), el("tbody", {}, body));
    return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption }, table);
}

/** Names across values of something: a column for each. @param {string} caption @param {string[]} names @param {{says: string, state: State}[]} columns */
export function across(caption, names, columns) {
    const head = el("tr", {}, el("th", { scope: "col" }, "quantity"), columns.map((c) => el("th", { scope: "col" }, c.says)));
    const body = names.map((name) =>
        el("tr", {}, el("th", { scope: "row" }, opener(name, math(symbol(columns[0].state, columns[0].state.book.slot(name))), el("code", {}, name))), columns.map((c) => el("td", { class: "val" }, shown(c.state, name)))),
    );
    const table = el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, head), el("tbody", {}, body));
    return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption }, table);
}

/** The sheet of a name: formula, substituted line, value, symbols, source, sensitivities. @param {State} state @param {string} name */
export function sheet(state, name) {
    const { data } = state.book, declared = data.names[name], slot = state.book.slot(name);
    const [first, ...rest] = data.texts[declared.s].split("\n\n");
    const parts = [
        el("h2", { id: "sheet-title" }, math(symbol(state, slot)), " ", el("code", {}, name)),
        el("p", {}, prose(first)), ...rest.map((/** @type {string} */ p) => el("p", {}, prose(p))),
    ];
    parts.push(...derivation(state, name));
    parts.push(facts(state, name));
    const moves = sensitivities(state, name).filter(moving);
    if (moves.length) parts.push(el("h3", {}, "What moves it"), movers(state, name, moves));
    const under = underChoices(state, name);
    if (under.length) parts.push(el("h3", {}, "Counted otherwise"), el("ul", {}, under.map((u) => el("li", {}, el("code", {}, `${u.name} = ${u.choice}`), ` ${humane(u.value, declared.u)}`))));
    at("sheet-content").replaceChildren(...parts);
}

/** @param {State} state @param {string} name */
function derivation(state, name) {
    const formula = state.given.has(name) ? undefined : formulaOf(state, name), found = [];
    const { value, exact, missing, none } = state.value(name), largest = state.largest(name);
    const left = symbol(state, state.book.slot(name));
    if (formula !== undefined) {
        found.push(el("div", { class: "lines" }, math(`${left}<mo>=</mo>${markup(state, formula)}`, true)));
        if (!missing && !none && !largest) found.push(el("div", { class: "lines" }, math(`<mo>=</mo>${markup(state, formula, true)}`, true)));
    }
    if (largest?.length) return [...found, el("p", { class: "result" }, shown(state, name))];
    if (largest || missing || none) return [...found, el("p", { class: "result" }, shown(state, name), missing ? `: ${lacking(state, name)}` : "")];
    const unit = declaredUnit(state, name);
    found.push(el("div", { class: "lines" }, math(`<mo>${exact ? "=" : "≈"}</mo>${number(value)}${unit ? `<mtext>&nbsp;${unit}</mtext>` : ""}`, true)));
    found.push(el("p", { class: "result" }, shown(state, name)), exactly(state, name, exact));
    return found;
}

/** @param {State} state @param {string} name */
function declaredUnit(state, name) {
    const unit = state.book.unit(name);
    return unit === "1" ? "" : unit.replace(/[&<]/g, "");
}

/** The exact value, worked out in fractions when it is asked for. @param {State} state @param {string} name @param {boolean} exact */
function exactly(state, name, exact) {
    const found = text(state.exact(state.book.slot(name)));
    const says = found.length > 400 ? `a fraction of ${found.length} digits` : found.split("/").map(thousands).join(" / "), unit = state.book.unit(name);
    return el("p", { class: "exactly" }, exact ? "The page's arithmetic rounded nothing on the way: " : "Rounded here to 64-bit floats; exactly ", el("span", {}, says), unit === "1" ? "" : ` ${unit}`);
}

/** @param {State} state @param {string} name */
export function lacking(state, name) {
    if (state.structure.symbols.includes(name)) return "nobody has given it";
    const missing = [...state.restsOn(name)].map((s) => state.book.nameOf[s]).filter((n) => n in state.book.data.names && state.structure.symbols.includes(n) && !state.given.has(n) && !(n in state.structure.lists));
    return missing.length ? `it needs ${missing.join(" and ")}` : "a value on the way is not given";
}

/** @param {State} state @param {string} name */
function facts(state, name) {
    const { data } = state.book, declared = data.names[name], list = el("dl", { class: "facts" });
    const add = (/** @type {string} */ term, /** @type {any[]} */ ...content) => list.append(el("dt", {}, term), el("dd", {}, ...content));
    const direct = directNames(state, name);
    if (direct.length) add("symbols", el("ul", {}, direct.map((n) => el("li", {}, opener(n, math(symbol(state, state.book.slot(n))), el("code", {}, n)), ` ${shown(state, n)}`))));
    if (declared.r !== undefined) add("source", data.texts[declared.r]);
    if (state.sources.has(name)) add("given by", /** @type {string} */ (state.sources.get(name)));
    if (declared.a?.length) add("assumes", declared.a.map((/** @type {number} */ a) => data.texts[a]).join("; "));
    add("unit", declared.u === "1" ? "pure number" : declared.u);
    if (declared.c >= 0) add("chapter", `${declared.c + 1} ${data.chapters[declared.c]}`);
    return list;
}

/** The names in a quantity's formula, in the order of reading. @param {State} state @param {string} name @returns {string[]} */
function directNames(state, name) {
    const formula = state.given.has(name) ? undefined : formulaOf(state, name);
    if (formula === undefined) return [];
    const found = new Set([...markup(state, formula).matchAll(/data-n="(\w+)"/g)].map((m) => m[1]));
    return [...found].filter((n) => n !== name && state.has(n));
}

/** @param {import("./questions.js").Sensitivity} found */
export function moving(found) {
    return Boolean(found.elasticity || found.below || found.step);
}

/** @param {State} state @param {string} name @param {import("./questions.js").Sensitivity[]} moves */
export function movers(state, name, moves) {
    const cell = (/** @type {number | null} */ v, /** @type {string} */ unit = "1") => el("td", { class: "val" }, v === null || Number.isNaN(v) ? "—" : humane(v, unit));
    const short = (/** @type {number} */ v) => humane(Number(v.toPrecision(5)), "1");
    const heads = ["symbol", "now", "elasticity", "one more", "doubled"];
    const rows = moves.map((m) => el("tr", {}, el("th", { scope: "row" }, opener(m.name, el("code", {}, m.name))), el("td", { class: "val" }, shown(state, m.name)), el("td", { class: "val" }, Number.isNaN(m.elasticity) ? "—" : kinked(m) ? `${short(m.below)} below, ${short(m.elasticity)} above` : short(m.elasticity)), cell(m.step, state.book.unit(name)), el("td", { class: "val" }, m.doubling === null ? "—" : `× ${grouped(Number(m.doubling.toPrecision(4)))}`)));
    const table = el("table", {}, el("caption", { class: "unseen" }, `Sensitivity of ${name}`), el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, rows));
    const box = el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Sensitivity of ${name}` }, table);
    return el("div", {}, box, el("p", { class: "faint" }, "Elasticity: the relative change for a relative change; two of them where branches meet. A dash stands where no such run may be, or where there is no derivative."));
}

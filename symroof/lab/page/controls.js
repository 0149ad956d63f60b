/** The controls: presets, sliders with fields, lists, choices. Each proposes a configuration; the page decides what becomes of it. */

import { at, el, math } from "./dom.js";
import { symbol } from "./mathml.js";
import { decimal, float, humane, parse, text } from "./numbers.js";

/** @typedef {import("./arithmetic.js").Fraction} Fraction */
/** @typedef {import("./lab.js").State} State */
/**
 * @typedef {object} Host
 * @property {() => State} state the state in force
 * @property {(settings: Record<string, string | null>) => string} propose takes settings over, or says why it does not
 * @property {(name: string, value: Fraction) => boolean} may true where a value could be taken over
 */

/** A slider with a field. */
class Dial {
    /** @param {string} name @param {Host} host */
    constructor(name, host) {
        this.name = name;
        this.host = host;
        const state = host.state(), says = state.book.data.texts[state.book.data.names[name].s].split("\n")[0];
        /** @type {Fraction[]} */
        this.values = [];
        this.range = el("input", { type: "range", min: 0, step: 1, "aria-label": `${name}, slider`, oninput: () => this.slide() });
        this.field = el("input", { type: "text", id: `field-${name}`, inputmode: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `error-${name}`, onchange: () => this.type(), size: 9 });
        this.field.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => e.key === "Enter" && this.type());
        this.back = el("button", { type: "button", class: "back", title: "back to the preset", "aria-label": `${name} back to the preset`, onclick: () => this.settle(null) }, "↺");
        this.error = el("p", { class: "error", id: `error-${name}`, role: "alert" });
        this.element = el("div", { class: "dial", "data-control": name }, el("label", { for: `field-${name}`, title: says }, math(symbol(state, state.book.slot(name))), el("code", {}, name), el("small", {}, says)), this.range, this.field, this.back, this.error);
    }

    refresh() {
        const state = this.host.state(), here = state.given.get(this.name);
        this.element.hidden = !state.has(this.name);
        if (this.element.hidden) return;
        this.values = state.values(this.name);
        this.range.max = Math.max(0, this.values.length - 1);
        this.index = here ? this.values.findIndex((v) => v.n === here.n && v.d === here.d) : -1;
        this.range.disabled = this.values.length < 2;
        this.range.value = String(Math.max(0, this.index));
        this.range.setAttribute("aria-valuetext", here ? this.shown(here) : "not given");
        this.field.placeholder = "not given";
        this.back.hidden = !(this.name in state.configuration.set);
        // A refusal stands until its field is left or another value is taken.
        if (document.activeElement === this.field && this.error.textContent) return;
        this.field.value = here ? this.typed(here) : "";
        this.say("");
    }

    /** @param {Fraction} value */
    shown(value) {
        return humane(float(value)[0], this.host.state().book.unit(this.name));
    }

    /** What a field holds: as it was typed, else short where that is exact. @param {Fraction} value */
    typed(value) {
        const state = this.host.state(), unit = state.book.unit(this.name);
        if (!/byte|FLOP|^s$/.test(unit)) return decimal(value);
        const shown = this.shown(value).replace(/,/g, ""), back = state.reads(this.name, shown);
        return typeof back === "object" && !Array.isArray(back) && back.n === value.n && back.d === value.d ? shown : text(value);
    }

    /** To the nearest value on this side that may be. */
    slide() {
        const wanted = Number(this.range.value), side = Math.sign(wanted - (this.index ?? -1)) || 1;
        const order = this.values.map((_, i) => i).filter((i) => Math.sign(i - (this.index ?? -1)) === side).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
        const found = order.find((i) => this.host.may(this.name, this.values[i]));
        if (found !== undefined) return this.say(this.host.propose({ [this.name]: this.typed(this.values[found]) }));
        const refusal = order.length ? this.host.propose({ [this.name]: this.typed(this.values[order[0]]) }) : "";
        this.refresh();
        return this.say(refusal);
    }

    type() {
        const typed = this.field.value.trim();
        if (typed === "") return this.say(this.host.propose({ [this.name]: null }));
        return this.say(this.host.propose({ [this.name]: typed }), typed);
    }

    /** A refusal, with the nearest values that work as buttons. @param {string} refusal @param {string} [typed] */
    say(refusal, typed = "") {
        this.error.replaceChildren(refusal);
        this.field.setAttribute("aria-invalid", String(Boolean(refusal)));
        if (!refusal || !typed) return;
        const state = this.host.state(), from = parse(typed, state.book.unit(this.name));
        const near = typeof from === "string" ? [] : state.nearest(this.name, from, (v) => this.host.may(this.name, v));
        if (near.length) this.error.append("; nearest that works: ", ...near.flatMap((v) => [el("button", { type: "button", class: "near", onclick: () => this.settle(this.typed(v)) }, this.typed(v)), " "]));
    }

    /** Take a value that a button gave, and stay at the field. @param {string | null} value */
    settle(value) {
        this.say(this.host.propose({ [this.name]: value }));
        this.field.focus();
    }
}

/** A list, such as the lengths of documents. */
class Listed {
    /** @param {string} name @param {Host} host */
    constructor(name, host) {
        this.name = name;
        this.host = host;
        const says = host.state().book.data.texts[host.state().book.data.names[name].s];
        this.field = el("input", { type: "text", id: `field-${name}`, autocomplete: "off", spellcheck: "false", placeholder: "1024, 3072 instead of equal ones", "aria-describedby": `error-${name}`, onchange: () => this.type() });
        this.error = el("p", { class: "error", id: `error-${name}`, role: "alert" });
        this.element = el("div", { class: "dial list", "data-control": name }, el("label", { for: `field-${name}`, title: says }, el("code", {}, name), el("small", {}, says)), this.field, this.error);
    }

    refresh() {
        const state = this.host.state(), here = state.lists.get(this.name);
        this.element.hidden = !(this.name in state.structure.lists);
        this.field.value = here ? here.map(text).join(", ") : "";
        this.error.textContent = "";
    }

    type() {
        const typed = this.field.value.trim(), read = this.host.state().reads(this.name, typed);
        this.error.textContent = this.host.propose({ [this.name]: typed === "" ? null : Array.isArray(read) ? read.map(text).join(",") : typed });
    }
}

/** A convention. */
class Choice {
    /** @param {string} name @param {Host} host */
    constructor(name, host) {
        this.name = name;
        this.host = host;
        const { says, choices } = host.state().book.data.conventions[name];
        this.select = el("select", { id: `field-${name}`, onchange: () => host.propose({ [name]: this.select.value }) }, Object.entries(choices).map(([c, what]) => el("option", { value: c, title: what }, c)));
        this.says = el("small");
        this.element = el("div", { class: "choice", "data-control": name }, el("label", { for: `field-${name}`, title: says }, el("code", {}, name), el("small", {}, says)), this.select, this.says);
    }

    refresh() {
        const { choices, book } = this.host.state(), here = choices.get(this.name);
        this.element.hidden = here === undefined;
        if (here === undefined) return;
        this.select.value = here;
        this.says.textContent = book.data.conventions[this.name].choices[here];
    }
}

/** A named set of choices, such as an estimator. */
class Named {
    /** @param {string} name @param {Host} host */
    constructor(name, host) {
        this.name = name;
        this.host = host;
        const { says, sources } = host.state().book.data.sets[name];
        this.select = el("select", { id: `field-${name}`, onchange: () => this.take() }, el("option", { value: "" }, "none of them"), Object.keys(sources).map((s) => el("option", { value: s }, s)));
        this.source = el("small");
        this.element = el("div", { class: "choice", "data-control": name }, el("label", { for: `field-${name}`, title: says }, el("code", {}, name), el("small", {}, says)), this.select, this.source);
    }

    /** Each set with its choices for this model. @returns {Record<string, Record<string, string>>} */
    sets() {
        const { book, structure } = this.host.state();
        return Object.fromEntries(Object.entries(structure.sets[this.name]).map(([set, chosen]) => [set, book.data.choices[/** @type {number} */ (chosen)]]));
    }

    take() {
        if (this.select.value) this.host.propose(this.sets()[this.select.value]);
        else this.refresh();
    }

    refresh() {
        const { choices, book, configuration } = this.host.state(), { sources, kinds, checked } = book.data.sets[this.name];
        const fits = (/** @type {Record<string, string>} */ set) => Object.entries(set).every(([c, choice]) => choices.get(c) === choice);
        const found = Object.entries(this.sets()).find(([, set]) => fits(set))?.[0] ?? "", { model } = configuration;
        this.select.value = found;
        this.source.textContent = !found || checked[found].includes(model) ? (sources[found] ?? "") : `${sources[found]}; these are the rules for ${kinds[found]}, not checked for ${model}`;
    }
}

/** Everything that can be moved, in groups; what the book's table does not name stands in groups of its own. @param {Host} host */
export function controls(host) {
    const { book } = host.state(), { data } = book, grouped = data.lab.controls, named = new Set(grouped.flatMap((/** @type {any} */ g) => [...g.names, g.list]));
    const symbols = Object.keys(data.names).filter((n) => book.domain(n)?.many === false && !named.has(n));
    const groups = [
        ...grouped, { title: "How FLOPs are counted", names: Object.keys(data.sets).concat(Object.keys(data.conventions).filter((n) => !named.has(n))) },
        { title: "Everything else that is given", names: symbols },
    ];
    return groups.map((group, i) => {
        const element = el("details", { open: i < 2, class: "group" }, el("summary", {}, group.title));
        /** @type {any[]} */
        let made = [];
        const refresh = () => {
            const state = host.state();
            element.hidden = !group.names.some((/** @type {string} */ n) => n in data.sets || state.choices.has(n) || state.has(n));
            // What is folded is made and refreshed when it is unfolded.
            if (!element.open) return;
            if (!made.length) element.append(...(made = make(group, host)).map((m) => m.element));
            for (const one of made) one.refresh();
        };
        element.addEventListener("toggle", refresh);
        return { element, refresh };
    });
}

/** @param {any} group @param {Host} host @returns {any[]} */
function make(group, host) {
    const { data } = host.state().book;
    const made = group.names.map((/** @type {string} */ n) => (n in data.sets ? new Named(n, host) : n in data.conventions ? new Choice(n, host) : new Dial(n, host)));
    return group.list ? [...made, new Listed(group.list, host)] : made;
}

/** The three presets. @param {import("./lab.js").Book} book @param {(kind: string, name: string) => void} take */
export function presets(book, take) {
    return ["model", "machine", "run"].map((kind) => {
        const found = book.data.presets[kind];
        const select = el("select", { id: `preset-${kind}`, onchange: () => take(kind, select.value) }, Object.keys(found).map((n) => el("option", { value: n, title: found[n].says }, n)));
        at("presets").append(el("label", { for: `preset-${kind}` }, kind, select));
        return { kind, select };
    });
}

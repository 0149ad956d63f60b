/** A configuration as others can use it: a fragment of the address, a command, JSON, Markdown. */

import { State, assign } from "./lab.js";
import { decimal, humane, text } from "./numbers.js";
import { shown } from "./show.js";

/** @typedef {import("./lab.js").Book} Book */
/** @typedef {import("./lab.js").Configuration} Configuration */

const PARTS = /** @type {const} */ (["model", "machine", "run"]);
const LONGEST_ADDRESS = 100000, LONGEST_SETTING = 60;

/** Only what departs from the page's first configuration. @param {Book} book @param {Configuration} configuration @param {Configuration | null} [beside] @param {string} [hold] what gives way so that a quantity is held */
export function fragment(book, configuration, beside = null, hold = "") {
    const start = book.start(), found = new URLSearchParams();
    for (const kind of PARTS) if (configuration[kind] !== start[kind]) found.set(kind, configuration[kind]);
    for (const [name, typed] of Object.entries(configuration.set)) found.set(name, typed);
    if (hold) found.set("hold", hold);
    if (beside) found.set("beside", fragment(book, beside));
    return found.toString();
}

/** What a fragment says, and what of it is none of the book. @param {Book} book @param {string} shared @returns {{configuration: Configuration, beside: Configuration | null, hold: string, dropped: string[]}} */
export function parseFragment(book, shared) {
    const found = book.start(), data = book.data;
    let beside = null, hold = "";
    if (shared.length > LONGEST_ADDRESS) return { configuration: found, beside, hold, dropped: ["all of it, which is longer than an address can be here"] };
    const said = new URLSearchParams(shared.replace(/^#/, "")), dropped = [];
    /** @type {[string, string][]} */
    const settings = [];
    for (const [name, value] of said) {
        if (name === "beside") beside = parseFragment(book, value).configuration;
        else if (name === "hold" && data.lab.hold_by.includes(value)) hold = value;
        else if (PARTS.includes(/** @type {any} */ (name)) && Object.hasOwn(data.presets[name], value)) found[/** @type {"model"} */ (name)] = value;
        else if (Object.hasOwn(data.names, name) || Object.hasOwn(data.conventions, name)) settings.push([name, value]);
        else dropped.push(`${name} = ${value}`.slice(0, LONGEST_SETTING));
    }
    for (const [name, value] of settings) assign(book.structure(found.model), found.set, name, value);
    for (const name of new State(book, found).ignored) {
        dropped.push(`${name} = ${found.set[name]}`.slice(0, LONGEST_SETTING));
        delete found.set[name];
    }
    const there = new State(book, found);
    for (const [name, entries] of there.lists) if (name in found.set) found.set[name] = entries.map(text).join(",");
    return { configuration: found, beside, hold, dropped };
}

/** What a page of this state is about. @param {State} state */
export function titleOf(state) {
    const { data } = state.book, { model, machine } = state.configuration;
    return model === data.start.model && machine === data.start.machine ? data.title : `${model} on ${machine}`;
}

/** A configuration in words. @param {Book} book @param {State} state */
export function describe(book, state) {
    const set = Object.entries(state.configuration.set).map(([n, v]) => `${n} = ${v}`);
    return [`${titleOf(state)} at ${presetName(book, state.configuration)}`, ...set].join(", ");
}

/** The preset as the command line names it. @param {Book} book @param {Configuration} configuration */
export function presetName(book, configuration) {
    const start = book.start();
    return PARTS.every((k) => configuration[k] === start[k]) ? book.data.alias : PARTS.map((k) => configuration[k]).join("+");
}

/** A command that gives the same values. @param {State} state @param {string[]} names */
export function command(state, names) {
    const set = { ...state.configuration.set, ...impliedFor(state, names) };
    const settings = Object.entries(set).map(([n, v]) => `--set ${quoted(`${n}=${plain(state, n, v)}`)}`);
    return ["symroof eval", ...valued(state, names), "-p", presetName(state.book, state.configuration), ...settings].join(" ");
}

/** What is set because nobody did, as far as these names rest on it. @param {State} state @param {string[]} names */
function impliedFor(state, names) {
    const rests = (/** @type {string} */ n) => names.some((q) => q === n || (state.has(q) && state.restsOn(q).has(state.book.slot(n))));
    return Object.fromEntries(Object.entries(state.implied).filter(([n]) => rests(n)));
}

/** A setting as the command line reads it: without grouped digits. @param {State} state @param {string} name @param {string} typed */
function plain(state, name, typed) {
    const value = typed.includes(",") && !state.choices.has(name) ? state.reads(name, typed) : "";
    return typeof value === "string" || Array.isArray(value) ? typed : decimal(value);
}

/** @param {string} word */
function quoted(word) {
    return /^[\w=.,+/%:-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** The names that have a value. @param {State} state @param {string[]} names */
function valued(state, names) {
    return names.filter((n) => state.has(n) && (state.largest(n) ?? [""]).length && !(state.value(n).missing || state.value(n).none) || state.largest(n)?.length);
}

/** As `symroof eval --json` answers. @param {State} state @param {string[]} names */
export function asJson(state, names) {
    const values = Object.fromEntries(valued(state, names).map((n) => [n, answer(state, n)]));
    // A whole number that is no float is written with all its digits, as the command line does.
    return JSON.stringify({ preset: presetName(state.book, state.configuration), set: { ...state.configuration.set, ...impliedFor(state, names) }, values }, null, 2).replace(/"value": "whole (-?\d+)"/g, '"value": $1');
}

/** @param {State} state @param {string} name */
function answer(state, name) {
    const largest = state.largest(name)?.join(", "), unit = state.book.unit(name);
    if (largest !== undefined) return { value: largest, exact: null, unit, display: largest, pinned: false };
    const { value } = state.value(name), exact = text(state.exact(state.book.slot(name)));
    return { value: /^-?\d+$/.test(exact) ? `whole ${exact}` : value, exact, unit, display: humane(value, unit), pinned: false };
}

/** A table of values, with a column for each state. @param {State[]} states @param {string[]} names */
export function asMarkdown(states, names) {
    const [state, beside] = states, wanted = valued(state, names);
    const rows = wanted.map((n) => `| \`${n}\` | ${states.map((s) => shown(s, n)).join(" | ")} |`);
    const heads = ["quantity", "value", ...(beside ? ["beside"] : [])];
    return [
        describe(state.book, state), "", ...(beside ? [`Beside: ${describe(state.book, beside)}`, ""] : []),
        `| ${heads.join(" | ")} |`, `|${heads.map(() => "---|").join("")}`, ...rows, "",
    ].join("\n");
}

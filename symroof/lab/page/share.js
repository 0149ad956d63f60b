/** A configuration as others can use it: a fragment of the address, a command, JSON, Markdown. */

import { State } from "./lab.js";
import { humane, text } from "./numbers.js";

/** @typedef {import("./lab.js").Book} Book */
/** @typedef {import("./lab.js").Configuration} Configuration */

const PARTS = /** @type {const} */ (["model", "machine", "run"]);
const LONGEST_ADDRESS = 4000;

/** Only what departs from the page's first configuration. @param {Book} book @param {Configuration} configuration @param {Configuration | null} [beside] */
export function fragment(book, configuration, beside = null) {
    const start = book.start(), found = new URLSearchParams();
    for (const kind of PARTS) if (configuration[kind] !== start[kind]) found.set(kind, configuration[kind]);
    for (const [name, typed] of Object.entries(configuration.set)) found.set(name, typed);
    if (beside) found.set("beside", fragment(book, beside));
    return found.toString();
}

/** What a fragment says; what is none of the book is left out. @param {Book} book @param {string} shared @returns {{configuration: Configuration, beside: Configuration | null}} */
export function parseFragment(book, shared) {
    const found = book.start(), data = book.data;
    const said = new URLSearchParams(shared.slice(0, LONGEST_ADDRESS).replace(/^#/, ""));
    let beside = null;
    for (const [name, value] of said) {
        if (name === "beside") beside = value === null ? null : parseFragment(book, value).configuration;
        else if (PARTS.includes(/** @type {any} */ (name))) {
            if (Object.hasOwn(data.presets[name], value)) found[/** @type {"model"} */ (name)] = value;
        } else if (Object.hasOwn(data.names, name) || Object.hasOwn(data.conventions, name)) found.set[name] = value;
    }
    for (const name of new State(book, found).ignored) delete found.set[name];
    return { configuration: found, beside };
}

/** The preset as the command line names it. @param {Book} book @param {Configuration} configuration */
export function presetName(book, configuration) {
    const start = book.start();
    return PARTS.every((k) => configuration[k] === start[k]) ? book.data.alias : PARTS.map((k) => configuration[k]).join("+");
}

/** A command that gives the same values. @param {State} state @param {string[]} names */
export function command(state, names) {
    const set = { ...state.configuration.set, ...state.implied };
    const settings = Object.entries(set).map(([n, v]) => `--set ${quoted(`${n}=${v}`)}`);
    return ["symroof eval", ...valued(state, names), "-p", presetName(state.book, state.configuration), ...settings].join(" ");
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
    return JSON.stringify({ preset: presetName(state.book, state.configuration), set: { ...state.configuration.set, ...state.implied }, values }, null, 2);
}

/** @param {State} state @param {string} name */
function answer(state, name) {
    const largest = state.largest(name)?.join(", "), unit = state.book.unit(name);
    if (largest !== undefined) return { value: largest, exact: null, unit, display: largest, pinned: false };
    const { value } = state.value(name);
    return { value, exact: text(state.exact(state.book.slot(name))), unit, display: humane(value, unit), pinned: false };
}

/** @param {State} state @param {string[]} names */
export function asMarkdown(state, names) {
    const set = Object.entries(state.configuration.set).map(([n, v]) => `\`${n} = ${v}\``);
    const rows = valued(state, names).map((n) => {
        const { display } = answer(state, n);
        return `| \`${n}\` | ${state.largest(n) || state.value(n).exact ? "" : "≈ "}${display} |`;
    });
    const at = `${presetName(state.book, state.configuration)}${set.length ? ` with ${set.join(", ")}` : ""}`;
    return [`${state.book.data.title} at ${at}`, "", "| quantity | value |", "|---|---|", ...rows, ""].join("\n");
}

/* Answers configurations, one JSON line each, with what the page computes for them. */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , page, folder] = process.argv;
const load = (name) => import(pathToFileURL(`${page}/${name}`).href);
const { code } = await import(pathToFileURL(`${folder}/code.js`).href);
const { Book, State } = await load("lab.js");
const { decimal, entries, humane, parse, text } = await load("numbers.js");
const { holding, kinked, sensitivities, sweep } = await load("questions.js");
const { asJson, asMarkdown, command, fragment, parseFragment } = await load("share.js");
const book = new Book(JSON.parse(readFileSync(`${folder}/data.json`, "utf8")), code);

const shown = (x) => (Number.isFinite(x) ? x : String(x));

function values(state) {
    const found = {};
    for (const slot of state.structure.quantities) {
        const name = book.nameOf[slot], { value, exact, missing, none } = state.at(slot);
        found[name] = state.largest(name)?.join(", ") ?? [missing || none ? null : shown(value), exact];
    }
    return found;
}

const answers = {
    values: (c) => {
        const state = new State(book, c);
        return { values: values(state), broken: state.broken().map((b) => b.says), ignored: state.ignored, implied: state.implied };
    },
    exact: (c, names) => {
        const state = new State(book, c);
        return Object.fromEntries(names.map((n) => [n, text(state.exact(book.slot(n)))]));
    },
    nearest: (c, name) => {
        const state = new State(book, c);
        return state.nearest(name, state.given.get(name)).map(text);
    },
    slopes: (c, of, to, side = -1) => {
        const state = new State(book, c);
        return Object.fromEntries(to.map((n) => [n, shown(state.slope(n, book.slot(of), side))]));
    },
    sensitivities: (c, of) => sensitivities(new State(book, c), of).map((s) => ({ ...s, kinked: kinked(s) })),
    entries,
    decimal: (typed) => decimal(parse(typed, "1")),
    command: (c, names) => words(command(new State(book, c), names)),
    json: (c, names) => asJson(new State(book, c), names),
    markdown: (cs, names) => asMarkdown(cs.map((c) => new State(book, c)), names),
    hold: (before, changed, held, by) => holding(new State(book, before), changed, held, by),
    sweep: (c, over, of) => sweep(new State(book, c), over, of),
    fragment: (said) => parseFragment(book, said),
    address: (c, hold) => fragment(book, c, null, hold),
    read: (typed, unit) => text(parse(typed, unit)),
    refused: (typed, unit) => parse(typed, unit),
    humane: (value, unit) => humane(value, unit),
    time: (c, times) => {
        const taken = [];
        for (let i = 0; i < times; i += 1) {
            const start = performance.now();
            new State(book, { ...c, set: { ...c.set, M: String(1 + (i % 512)) } });
            taken.push(performance.now() - start);
        }
        return taken.sort((a, b) => a - b)[times >> 1];
    },
};

/** A command line as a shell splits it. */
function words(line) {
    return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]);
}

for await (const line of createInterface({ input: process.stdin })) {
    const [name, ...args] = JSON.parse(line);
    let found;
    try { found = answers[name](...args); } catch (error) { found = { error: `${error.stack}` }; }
    console.log(JSON.stringify(found));
}

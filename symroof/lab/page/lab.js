/** The book at a configuration: what is given, what follows from it, which constraints hold, and which values near by would. */

import { Duals, Floats, Fractions, LIMITS, MISSING, NONE, ROUNDED, fraction } from "./arithmetic.js";
import { entries, float, parse, read, text } from "./numbers.js";

/** @typedef {import("./arithmetic.js").Fraction} Fraction */
/** @typedef {{model: string, machine: string, run: string, set: Record<string, string>}} Configuration departures from presets as texts */
/** @typedef {{name: string, says: string}} Broken a constraint that does not hold, and the sentence that says so */
/**
 * @typedef {{says: string, low: number | string | null, high: number | string | null, whole: boolean, open: boolean, many: boolean}} Domain the
 * numbers between two ends, or the whole ones among them; `open` where the low end is none of them, `many` for a list of them
 */
/** @typedef {{value: number, exact: boolean, missing: boolean, none: boolean}} Value */

const KINDS = /** @type {const} */ (["model", "machine", "run"]);
const REACH = 2048;
/* The most that floats count exactly. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);
const NOT = { divides: "does not divide", "<=": "is above", "<": "is not below", ">=": "is below", ">": "is not above", "==": "is not", "!=": "is" };

/** The page's data and printed code, and what follows from them alone. */
export class Book {
    /** @param {any} data @param {{lines: [number, Function][], predicates: Function[], size: number}} code */
    constructor(data, code) {
        this.data = data;
        Object.assign(LIMITS, data.limits);
        this.code = code;
        this.size = code.size;
        /** @type {string[]} names by slot */
        this.nameOf = [];
        for (const [name, found] of Object.entries({ ...data.names, ...data.conventions })) this.nameOf[/** @type {any} */ (found).i] = name;
        /** @type {Map<number, Set<number>>[]} */
        this.reached = [];
        /** @type {Map<string, Fraction[]>} what sliders choose among, read when they are asked */
        this.listed = new Map();
        /** @type {Map<string, State>} presets with nothing set */
        this.plain = new Map();
    }

    /** @param {string} name */
    slot(name) {
        return (this.data.names[name] ?? this.data.conventions[name]).i;
    }

    /** @param {string} name @returns {string} */
    unit(name) {
        return this.data.names[name]?.u ?? "1";
    }

    /** What values an input may have; nothing for what is derived. @param {string} name @returns {Domain | undefined} */
    domain(name) {
        return this.data.domains[this.data.names[name]?.d];
    }

    /** The slots of symbols and conventions that each slot of a structure rests on. @param {number} number */
    inputs(number) {
        if (!this.reached[number]) {
            const found = new Map();
            for (const line of this.data.structures[number].lines) {
                const [slot, code] = this.code.lines[line];
                const uses = [...String(code).matchAll(/\ba\.[ro]\((\d+)/g)].map((m) => Number(m[1]));
                found.set(slot, new Set(uses.flatMap((u) => [u, ...(found.get(u) ?? [])])));
            }
            this.reached[number] = found;
        }
        return this.reached[number];
    }

    /** The lines of a structure that a symbol moves and on which some slots rest, in order. @param {number} number @param {number} moved @param {number[]} slots */
    between(number, moved, slots) {
        const reached = this.inputs(number);
        return this.data.structures[number].lines.filter((/** @type {number} */ line) => {
            const [slot] = this.code.lines[line];
            return reached.get(slot)?.has(moved) && slots.some((s) => s === slot || reached.get(s)?.has(slot));
        });
    }

    /** What a model is made of. @param {string} model */
    structure(model) {
        return this.data.structures[this.data.model_structure[model]];
    }

    /** A configuration's presets with nothing set, computed once. @param {Configuration} configuration @returns {State} */
    presets({ model, machine, run }) {
        const key = `${model} ${machine} ${run}`;
        if (!this.plain.has(key)) this.plain.set(key, new State(this, { model, machine, run, set: {} }));
        return /** @type {State} */ (this.plain.get(key));
    }

    /** @returns {Configuration} */
    start() {
        return { ...this.data.start, set: {} };
    }
}

/** A configuration with all its values, computed. */
export class State {
    /** @param {Book} book @param {Configuration} configuration */
    constructor(book, configuration) {
        this.book = book;
        this.configuration = configuration;
        this.number = book.data.model_structure[configuration.model];
        this.structure = book.structure(configuration.model);
        this.floats = new Floats(book.size);
        /** @type {Map<string, Fraction>} what is given, symbols and arguments */
        this.given = new Map();
        /** @type {Map<string, string>} where it was given: the source's text */
        this.sources = new Map();
        /** @type {Map<string, string>} choices by convention */
        this.choices = new Map();
        /** @type {Map<string, Fraction[]>} */
        this.lists = new Map();
        /** @type {Map<number, Fraction>} */
        this.exactly = new Map();
        /** @type {string[]} settings that are none of this model's, or that cannot be read */
        this.ignored = [];
        this.#give();
        this.#seed();
        this.compute(this.structure.lines);
        /** @type {Record<string, string>} what is set because nobody did: the largest value that may be */
        this.implied = {};
        this.#imply();
    }

    #imply() {
        /** @type {string[]} */
        const names = this.book.data.lab.controls.flatMap((/** @type {any} */ group) => group.last ?? []);
        for (const name of names) {
            if (!this.structure.symbols.includes(name) || this.given.has(name)) continue;
            const may = this.trial(name), largest = this.values(name).reverse().find(may);
            if (!largest) continue;
            this.implied[name] = text(largest);
            this.given.set(name, largest);
            this.sources.set(name, "the largest that there is");
            this.#hold(this.book.slot(name), largest);
            this.compute(this.structure.lines);
        }
    }

    #give() {
        const { data } = this.book, settled = new Set(this.structure.symbols);
        for (const name of this.structure.conventions) this.choices.set(name, data.conventions[name].default);
        for (const kind of KINDS) {
            const preset = data.presets[kind][this.configuration[kind]];
            for (const [name, [value, source]] of Object.entries(/** @type {Record<string, any[]>} */ (preset.values))) {
                if (Array.isArray(value) ? name in this.structure.lists : settled.has(name) || this.derives(name)) {
                    this.#put(name, Array.isArray(value) ? value.map(read) : read(value), data.texts[source]);
                }
            }
            for (const [name, choice] of Object.entries(preset.choices ?? {})) if (this.choices.has(name)) this.choices.set(name, /** @type {string} */ (choice));
        }
        for (const [name, typed] of Object.entries(this.configuration.set)) this.#set(name, typed);
    }

    /** @param {string} name */
    derives(name) {
        return name in this.book.data.names && this.structure.quantities.includes(this.book.slot(name));
    }

    /** A list and what stands in for it are two ways to say one thing. @param {string} name @param {Fraction | Fraction[]} value @param {string} source */
    #put(name, value, source) {
        for (const [list, [entry]] of Object.entries(/** @type {Record<string, string[]>} */ (this.structure.lists))) {
            if (name === list) this.given.delete(entry);
            if (name === entry) this.lists.delete(list);
        }
        if (Array.isArray(value)) this.lists.set(name, value);
        else this.given.set(name, value);
        this.sources.set(name, source);
    }

    /** @param {string} name @param {string} typed */
    #set(name, typed) {
        if (this.choices.has(name)) {
            if (Object.hasOwn(this.book.data.conventions[name].choices, typed)) this.choices.set(name, typed);
            else this.ignored.push(name);
            return;
        }
        const value = this.reads(name, typed);
        if (typeof value === "string") this.ignored.push(name);
        else this.#put(name, value, "set on this page");
    }

    /** What a text is as a value of a name; a message where it is none. @param {string} name @param {string} typed @returns {Fraction | Fraction[] | string} */
    reads(name, typed) {
        const declared = this.book.data.names[name];
        const domain = this.book.domain(name);
        if (!domain || !this.has(name)) return `${name} is nothing that this model has`;
        if (name in this.structure.lists) {
            const found = entries(typed).map((e) => parse(e, declared.u));
            const wrong = found.find((e) => typeof e === "string" || !admits(domain, e));
            return wrong === undefined ? /** @type {Fraction[]} */ (found) : typeof wrong === "string" ? wrong : `${name} must be ${domain.says}`;
        }
        const value = parse(typed, declared.u);
        if (typeof value === "string") return value;
        if (this.isWhole(name) && value.n > MOST * value.d) return `${name} = ${typed.trim()} is more than this page counts exactly, which is up to 2^53`;
        return admits(domain, value) ? value : `${name} must be ${domain.says}, not ${typed.trim()}`;
    }

    /** True of what is counted: its values are whole. @param {string} name */
    isWhole(name) {
        return this.book.domain(name)?.whole === true;
    }

    #seed() {
        const { floats, book } = this;
        for (const [name, value] of this.given) this.#hold(book.slot(name), value);
        for (const [name, choice] of this.choices) {
            floats.values[book.slot(name)] = Object.keys(book.data.conventions[name].choices).indexOf(choice);
            floats.states[book.slot(name)] = 0;
        }
        for (const [name, lengths] of this.lists) {
            /** @type {Map<string, number>} */
            const counts = new Map();
            for (const e of lengths) counts.set(text(e), (counts.get(text(e)) ?? 0) + 1);
            floats.lists.set(book.slot(name), [...counts].map(([e, n]) => [Number(e), n]));
        }
    }

    /** @param {number} slot @param {Fraction} value */
    #hold(slot, value) {
        const [number, exact] = float(value);
        this.floats.values[slot] = number;
        this.floats.states[slot] = exact ? 0 : ROUNDED;
    }

    /** Compute some lines, which stand in order; what is given keeps its value. @param {number[]} lines */
    compute(lines) {
        const { floats, book } = this, all = book.code.lines;
        for (const line of lines) {
            const [slot, code] = all[line];
            if (this.given.has(book.nameOf[slot])) continue;
            floats.state = 0;
            const value = code(floats);
            floats.values[slot] = value;
            floats.states[slot] = Number.isFinite(value) ? floats.state : floats.state | NONE;
        }
    }

    /** @param {number} slot @returns {Value} */
    at(slot) {
        const state = this.floats.states[slot];
        return { value: this.floats.values[slot], exact: state === 0, missing: Boolean(state & MISSING), none: Boolean(state & NONE) };
    }

    /** @param {string} name */
    has(name) {
        return this.structure.symbols.includes(name) || this.derives(name);
    }

    /** @param {string} name @returns {Value} */
    value(name) {
        return this.at(this.book.slot(name));
    }

    /** What the book's pictures call names. @param {string[]} names @param {string} between */
    called(names, between) {
        const labels = this.structure.pictures.composition?.labels ?? {};
        return names.map((n) => labels[n] ?? n).join(between);
    }

    /** The slots of what may bind. @returns {number[]} */
    get rivals() {
        return this.structure.names[this.book.data.lab.binding] ?? [];
    }

    /** The names of the largest, for a quantity that names something. @param {string} name @returns {string[] | null} */
    largest(name) {
        /** @type {number[] | undefined} */
        const slots = this.structure.names[name];
        if (!slots) return null;
        if (slots.some((s) => this.floats.states[s] & (MISSING | NONE))) return [];
        const values = slots.map((s) => this.floats.values[s]), top = Math.max(...values);
        const rounded = slots.some((s) => this.floats.states[s] & ROUNDED);
        return slots.filter((_, i) => values[i] === top || (rounded && top - values[i] < LIMITS.tie * Math.abs(top))).map((s) => this.book.nameOf[s]);
    }

    /** The exact value of a slot, by exact arithmetic through all that it rests on. @param {number} slot @returns {Fraction} */
    exact(slot) {
        const known = this.exactly.get(slot);
        if (known) return known;
        const name = this.book.nameOf[slot], given = this.given.get(name);
        let found = given;
        if (!found && this.choices.has(name)) found = read(this.floats.values[slot]);
        if (!found) {
            const line = this.structure.lines.find((/** @type {number} */ l) => this.book.code.lines[l][0] === slot);
            if (line === undefined) throw new RangeError(`${name} has no value`);
            found = this.book.code.lines[line][1](this.#fractions());
        }
        this.exactly.set(slot, /** @type {Fraction} */ (found));
        return /** @type {Fraction} */ (found);
    }

    #fractions() {
        return new Fractions((slot) => this.exact(slot), (slot) => this.lists.get(this.book.nameOf[slot])?.map((e) => [e, read(1)]));
    }

    /** The derivative of a slot by a symbol, from one side. @param {string} name @param {number} of @param {number} from -1 from below, 1 from above */
    slope(name, of, from) {
        const duals = new Duals(this.floats, from), moved = this.book.slot(name);
        duals.slopes[moved] = 1;
        for (const line of this.book.between(this.number, moved, [of])) {
            const [slot, code] = this.book.code.lines[line];
            if (!this.given.has(this.book.nameOf[slot])) duals.slopes[slot] = code(duals).d;
        }
        return duals.slopes[of];
    }

    /** Some slots along a symbol, everything else as it is here; only what it moves is computed. @param {string} name @param {number[]} slots */
    along(name, slots) {
        const probe = this.#probe(), moved = this.book.slot(name), lines = this.book.between(this.number, moved, slots);
        return (/** @type {number} */ value) => {
            probe.floats.values[moved] = value;
            probe.floats.states[moved] = ROUNDED;
            probe.given.set(name, fraction(1n));
            probe.compute(lines);
            return probe;
        };
    }

    /** A state that may be changed, with this one's values. @returns {State} */
    #probe() {
        const probe = Object.create(State.prototype, {});
        return Object.assign(probe, this, { floats: copied(this.floats), given: new Map(this.given), exactly: new Map() });
    }

    /** The symbols and conventions that a quantity rests on here. @param {string} name */
    restsOn(name) {
        return this.book.inputs(this.number).get(this.book.slot(name)) ?? new Set();
    }

    /** The constraints that do not hold, in reading order. @returns {Broken[]} */
    broken() {
        const found = [];
        for (const [name, { says, test }] of Object.entries(/** @type {Record<string, any>} */ (this.structure.constraints))) {
            if (!hold(this, test)) found.push({ name, says: this.#sentence(says, test) });
        }
        return found;
    }

    /** @param {string} says @param {any} test @returns {string} */
    #sentence(says, test) {
        if (test.length === 2) {
            const parts = test[0] === "or" ? test[1] : test[1].filter((/** @type {any} */ t) => !hold(this, t));
            return parts.map((/** @type {any} */ t) => this.#sentence(says, t)).join(" and ");
        }
        const [op, , left, leftSlot, right, rightSlot, words] = test;
        const [a, b] = [this.#number(leftSlot), this.#number(rightSlot)];
        if (words) return op === "whole" ? `${says}, and ${b} is no whole number` : `${says}, and ${a} ${NOT[/** @type {keyof typeof NOT} */ (op)]} ${b}`;
        if (op === "whole") return `${side(right, b)} is no whole number`;
        return `${side(left, a)} ${NOT[/** @type {keyof typeof NOT} */ (op)]} ${side(right, b)}`;
    }

    /** @param {number} slot */
    #number(slot) {
        const { value, missing, none } = this.at(slot);
        return missing || none ? "" : String(Number(value.toPrecision(6)) === value || Number.isInteger(value) ? value : Number(value.toPrecision(6)));
    }

    /** True where the run may exist. */
    get admissible() {
        return this.ignored.length === 0 && this.broken().length === 0;
    }

    /** The same configuration with one more setting. @param {Record<string, string | null>} settings null takes one back */
    with(settings) {
        const set = { ...this.configuration.set };
        for (const [name, typed] of Object.entries(settings)) assign(this.structure, set, name, typed);
        return { ...this.configuration, set };
    }

    /**
     * A test of single values of a name, everything else as it is here, far cheaper than a state of its own. What is set because
     * nobody did forbids nothing. @param {string} name
     */
    trial(name) {
        const probe = this.#probe(), slot = this.book.slot(name), domain = /** @type {Domain} */ (this.book.domain(name));
        const tests = Object.values(/** @type {Record<string, any>} */ (this.structure.constraints)).map(({ test }) => test);
        for (const other of Object.keys(this.implied)) {
            if (other === name) continue;
            probe.given.delete(other);
            probe.floats.states[this.book.slot(other)] = MISSING;
        }
        return (/** @type {Fraction} */ value) => {
            if (!admits(domain, value)) return false;
            const [number, exact] = float(value);
            probe.given.set(name, value);
            probe.floats.values[slot] = number;
            probe.floats.states[slot] = exact ? 0 : ROUNDED;
            probe.compute(this.structure.checks);
            return tests.every((test) => hold(probe, test));
        };
    }

    /**
     * The nearest values below and above that may be: whole ones near by, else those of the slider.
     * @param {string} name @param {Fraction} from @param {(value: Fraction) => boolean} [may] @returns {Fraction[]}
     */
    nearest(name, from, may = this.trial(name)) {
        const listed = this.values(name), above = (/** @type {Fraction} */ v) => v.n * from.d > from.n * v.d;
        const sides = [listed.filter((v) => !above(v)).reverse(), listed.filter(above)].map((values) => values.find(may));
        const near = this.isWhole(name) ? this.#wholeNear(name, from, may) : [];
        return [0, 1].map((i) => near[i] ?? sides[i]).filter((v) => v !== undefined);
    }

    /** @param {string} name @param {Fraction} from @param {(value: Fraction) => boolean} may @returns {(Fraction | undefined)[]} below, above */
    #wholeNear(name, from, may) {
        const centre = from.n / from.d, known = this.trial(name);
        /** @type {(Fraction | undefined)[]} */
        const found = [];
        for (const step of [-1n, 1n]) {
            let value = step < 0n && centre * from.d !== from.n ? centre : centre + step;
            let near;
            for (let i = 0; i < REACH && value >= 0n && !near; i += 1, value += step) {
                const one = { n: value, d: 1n };
                if (known(one) && may(one)) near = one;
            }
            found.push(near);
        }
        return found;
    }

    /** What a slider chooses among: the book's values, and the value here. @param {string} name @returns {Fraction[]} */
    values(name) {
        const { listed: known, data } = this.book;
        if (!known.has(name) && name in data.lab.values) known.set(name, data.lab.values[name].map(read));
        const listed = [...(known.get(name) ?? this.#around(name))];
        const here = this.given.get(name);
        if (here && !listed.some((v) => v.n === here.n && v.d === here.d)) listed.push(here);
        return listed.sort(compared);
    }

    /** Shares and multiples of what the presets give. @param {string} name */
    #around(name) {
        const preset = this.book.presets(this.configuration).given.get(name) ?? this.given.get(name);
        if (!preset) return [];
        const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 40, 50, 60, 80, 100];
        return tenths.map((t) => fraction(preset.n * BigInt(t), preset.d * 10n));
    }
}

/** Below zero, zero or above it, as one fraction lies below another, is it or lies above. @param {Fraction} a @param {Fraction} b */
function compared(a, b) {
    return Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d);
}

/** True for a member of a domain. @param {Domain} domain @param {Fraction} value */
function admits(domain, value) {
    if (domain.whole && value.d !== 1n) return false;
    const above = domain.low === null || compared(value, read(domain.low)) >= (domain.open ? 1 : 0);
    return above && (domain.high === null || compared(value, read(domain.high)) <= 0);
}

/** @param {Floats} floats */
function copied(floats) {
    const found = new Floats(0);
    found.values = floats.values.slice();
    found.states = floats.states.slice();
    found.lists = floats.lists;
    return found;
}

/** A constraint whose symbols have no value is not asked. @param {State} state @param {any} test @returns {boolean} */
function hold(state, test) {
    if (test.length === 2) return test[0] === "and" ? test[1].every((/** @type {any} */ t) => hold(state, t)) : test[1].some((/** @type {any} */ t) => hold(state, t));
    state.floats.state = 0;
    const holds = state.book.code.predicates[test[1]](state.floats);
    return Boolean(state.floats.state & MISSING) || (holds && !(state.floats.state & NONE));
}

/** @param {string} shown @param {string} number */
function side(shown, number) {
    return number === "" || shown === number ? shown : `${shown} = ${number}`;
}

/** Set a name, or take it back; a list and what stands in for it are not both set. @param {any} structure @param {Record<string, string>} set @param {string} name @param {string | null} typed */
export function assign(structure, set, name, typed) {
    for (const [list, [entry]] of Object.entries(/** @type {Record<string, string[]>} */ (structure.lists))) {
        if (name === list) delete set[entry];
        if (name === entry) delete set[list];
    }
    if (typed === null) delete set[name];
    else set[name] = typed;
}

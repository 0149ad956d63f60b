/** Questions to a state: how sensitive is a quantity, what does a sweep give, and what gives way where something is held. */

import { State } from "./lab.js";
import { float, grouped, text } from "./numbers.js";
import { fraction } from "./arithmetic.js";

/** @typedef {import("./arithmetic.js").Fraction} Fraction */
/** @typedef {import("./lab.js").Configuration} Configuration */
/** @typedef {{name: string, elasticity: number, below: number, step: number | null, doubling: number | null}} Sensitivity elasticities from above and from below: a kink where they differ */
/** @typedef {{x: number, shown: string, values: (number | null)[], binding: string}} Sample */
/** @typedef {{at: number, before: string, after: string}} Boundary */

const HALVINGS = 40, NOISE = 1e-10;

/** What every symbol that a quantity rests on does to it, the most first. @param {State} state @param {string} of @returns {Sensitivity[]} */
export function sensitivities(state, of) {
    const slot = state.book.slot(of), here = state.value(of);
    if (here.missing || here.none || state.largest(of)) return [];
    const reached = state.restsOn(of), found = [];
    for (const [name, value] of state.given) {
        if (!reached.has(state.book.slot(name)) || name === of) continue;
        const [x] = float(value), first = value.n === value.d && state.isWhole(name);
        const relative = (/** @type {number} */ side) => (here.value ? noiseless((state.slope(name, slot, side) * x) / here.value) : NaN);
        const above = relative(1), below = first ? above : relative(-1);
        const step = state.isWhole(name) ? elsewhere(state, name, fraction(value.n + value.d, value.d), of) : null;
        const double = elsewhere(state, name, fraction(2n * value.n, value.d), of);
        found.push({
            name, elasticity: above, below,
            step: step === null ? null : step - here.value, doubling: double === null || !here.value ? null : double / here.value,
        });
    }
    const rank = (/** @type {Sensitivity} */ s) => (Number.isNaN(s.elasticity) ? -1 : Math.max(Math.abs(s.elasticity), Math.abs(s.below)));
    return found.sort((a, b) => rank(b) - rank(a));
}

/** What is left of differences of large numbers is none. @param {number} elasticity */
function noiseless(elasticity) {
    return Math.abs(elasticity) < NOISE ? 0 : elasticity;
}

/** True where two branches meet with different slopes. @param {Sensitivity} found */
export function kinked(found) {
    return Math.abs(found.elasticity - found.below) > NOISE * Math.max(1, Math.abs(found.elasticity));
}

/** A quantity at another value of a symbol; null where that may not be. @param {State} state @param {string} name @param {Fraction} value @param {string} of */
function elsewhere(state, name, value, of) {
    if (!state.trial(name)(value)) return null;
    const there = sampler(state, name, [of])(value).value(of);
    return there.missing || there.none ? null : there.value;
}

/** States along a symbol: cheap ones, unless a quantity rests on what follows the symbol by itself. @param {State} state @param {string} over @param {string[]} of */
function sampler(state, over, of) {
    const slots = of.map((n) => state.book.slot(n)), implied = Object.keys(state.implied).map((n) => state.book.slot(n));
    if (of.some((n) => n !== over && implied.some((i) => state.restsOn(n).has(i)))) {
        return (/** @type {Fraction} */ value) => new State(state.book, state.with({ [over]: text(value) }));
    }
    const at = state.along(over, [...slots, ...state.rivals]);
    return (/** @type {Fraction} */ value) => at(float(value)[0]);
}

/** The value of a quantity under each choice of the conventions that it rests on. @param {State} state @param {string} of */
export function underChoices(state, of) {
    const reached = state.restsOn(of), found = [];
    for (const [name, inForce] of state.choices) {
        if (!reached.has(state.book.slot(name))) continue;
        for (const choice of Object.keys(state.book.data.conventions[name].choices)) {
            if (choice === inForce) continue;
            const there = new State(state.book, state.with({ [name]: choice })).value(of);
            if (!there.missing && !there.none && there.value !== state.value(of).value) found.push({ name, choice, value: there.value });
        }
    }
    return found;
}

/**
 * Some quantities over the values of a control that may be, and where what binds changes.
 * @param {State} state @param {string} over @param {string[]} of @param {Fraction[]} [values]
 * @returns {{samples: Sample[], boundaries: Boundary[]}}
 */
export function sweep(state, over, of, values = state.values(over)) {
    const at = sampler(state, over, of), samples = values.filter(state.trial(over)).map((v) => sample(at(v), of, v));
    const whole = state.isWhole(over);
    const boundaries = [];
    for (let i = 1; i < samples.length; i += 1) {
        const [a, b] = [samples[i - 1], samples[i]];
        if (a.binding !== b.binding) boundaries.push({ at: between(state, over, a, b), before: a.binding, after: b.binding });
    }
    // A curve has its knee where what binds changes, wherever the samples are.
    const slots = of.map((n) => state.book.slot(n)), knees = whole ? [] : boundaries.map((b) => kneeAt(state.along(over, slots)(b.at), of, b));
    return { samples: [...samples, ...knees].sort((a, b) => a.x - b.x), boundaries };
}

/** @param {State} there @param {string[]} of @param {Fraction} value @returns {Sample} */
function sample(there, of, value) {
    return { x: float(value)[0], shown: text(value), values: sampled(there, of), binding: binding(there) };
}

/** @param {State} there @param {string[]} of @param {Boundary} boundary @returns {Sample} */
function kneeAt(there, of, boundary) {
    return { x: boundary.at, shown: String(boundary.at), values: sampled(there, of), binding: boundary.after };
}

/** @param {State} there @param {string[]} of */
function sampled(there, of) {
    return of.map((name) => {
        const found = there.value(name);
        return found.missing || found.none ? null : found.value;
    });
}

/** @param {State} state */
export function binding(state) {
    const name = state.book.data.lab.binding;
    return state.has(name) ? (state.largest(name) ?? []).join(", ") : "";
}

/** By how much what binds is ahead of the next. @param {State} state */
export function margin(state) {
    const table = state.structure.pictures.composition;
    const contest = table?.rows.map((/** @type {any} */ r) => r[1]).find((/** @type {string[]} */ c) => c.length > 1) ?? [];
    const ranked = contest.map((/** @type {string} */ n) => ({ says: state.called([n], ""), value: state.value(n).value })).sort((/** @type {any} */ a, /** @type {any} */ b) => b.value - a.value);
    const [first, next] = ranked;
    if (!(next?.value > 0)) return "";
    if (first.value === next.value) return `${first.says} and ${next.says} take equally long.`;
    return `${first.says} takes ${grouped(Number((first.value / next.value).toPrecision(3)))} times as long as ${next.says}, the next.`;
}

/** Where what binds changes, by halving: of what is counted the first value at which it has. @param {State} state @param {string} over @param {Sample} a @param {Sample} b */
function between(state, over, a, b) {
    let [low, high] = [a.x, b.x];
    const at = state.along(over, state.rivals), whole = state.isWhole(over);
    for (let i = 0; i < HALVINGS && !(whole && high - low <= 1); i += 1) {
        const half = (low + high) / 2, middle = whole ? Math.floor(half) : half;
        if (binding(at(middle)) === a.binding) low = middle;
        else high = middle;
    }
    return high;
}

/**
 * A configuration in which a quantity keeps its exact value because a symbol gives way for a change; a sentence where none does.
 * @param {State} before @param {Configuration} changed @param {string} held @param {string} by
 * @returns {Configuration | string}
 */
export function holding(before, changed, held, by) {
    const { book } = before, target = before.exact(book.slot(held));
    const there = new State(book, changed), here = there.given.get(by);
    if (!here || there.ignored.length) return `${by} has no value to give way`;
    const now = there.exact(book.slot(held));
    if (now.n === 0n) return `${held} is zero whatever ${by} is`;
    // In proportion, or not at all: a batch is a product of what gives way.
    const value = fraction(here.n * target.n * now.d, here.d * target.d * now.n);
    const kept = { ...changed, set: { ...changed.set, [by]: text(value) } };
    if (value.d !== 1n) return `${by} would have to be ${text(value)}, which is no whole number`;
    const found = new State(book, kept), reached = found.exact(book.slot(held));
    if (reached.n !== target.n || reached.d !== target.d) return `${held} does not move in proportion to ${by}`;
    const [broken] = found.broken();
    return broken ? `with ${by} = ${text(value)}, ${broken.says}` : kept;
}

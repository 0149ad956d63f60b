/** Formulas: MathML in which each name is a character, filled with symbols or with the values of a state. */

import { significant, thousands } from "./numbers.js";

/** @typedef {import("./lab.js").State} State */

const VALUED = 0xe000, NAMED = 0xe800, TAGS = 0xf000;
const THIN = '<mspace width="0.16666667em"/>';
const WHOLE_DIGITS = 15;

/** The number of a quantity's formula under the choices in force; undefined where it has none. @param {State} state @param {string} name */
export function formulaOf(state, name) {
    const found = state.structure.formulas[state.structure.quantities.indexOf(state.book.slot(name))];
    if (!Array.isArray(found)) return found;
    const [conventions, numbers] = found;
    let index = 0;
    for (const convention of conventions) {
        const choices = Object.keys(state.book.data.conventions[convention].choices);
        index = index * choices.length + choices.indexOf(/** @type {string} */ (state.choices.get(convention)));
    }
    return numbers[index];
}

/** A formula's markup with symbols, or with values. @param {State} state @param {number} which @param {boolean} [values] @returns {string} */
export function markup(state, which, values = false) {
    const { tags, formulas } = state.book.data;
    let found = "";
    for (const character of formulas[which]) {
        const code = character.charCodeAt(0);
        if (code >= TAGS && code < TAGS + tags.length) found += values && tags[code - TAGS] === THIN ? "<mo>·</mo>" : tags[code - TAGS];
        else if (code >= NAMED && code < TAGS) found += symbol(state, code - NAMED);
        else if (code >= VALUED && code < NAMED) found += values ? valueAt(state, code - VALUED) : symbol(state, code - VALUED);
        else found += character;
    }
    return found;
}

/** The symbol of a slot. @param {State} state @param {number} slot @returns {string} */
export function symbol(state, slot) {
    const name = state.book.nameOf[slot], declared = state.book.data.names[name];
    if (declared) return `<mrow data-n="${name}">${markup(state, declared.y)}</mrow>`;
    const { holes } = state.structure;
    for (let i = 0; i < holes.length; i += 2) if (holes[i] === slot) return `<mrow>${markup(state, holes[i + 1])}</mrow>`;
    return "<mi>?</mi>";
}

/** @param {State} state @param {number} slot */
function valueAt(state, slot) {
    const { value, missing, none } = state.at(slot);
    return missing || none ? symbol(state, slot) : number(value);
}

/** A number as MathML: long ones to six digits. @param {number} value */
export function number(value) {
    const whole = Number.isInteger(value) && Math.abs(value) < 10 ** WHOLE_DIGITS;
    const [digits, power] = (whole ? inGroups(value) : significant(value, 6)).split("e");
    const mantissa = `<mn>${digits.replace("-", "")}</mn>`;
    const scaled = power ? `<mrow>${mantissa}<mo>×</mo><msup><mn>10</mn><mn>${power.replace("-", "−")}</mn></msup></mrow>` : mantissa;
    return value < 0 ? `<mrow><mo>(</mo><mo>−</mo>${scaled}<mo>)</mo></mrow>` : scaled;
}

/** @param {number} value */
function inGroups(value) {
    return Math.abs(value) < 10000 ? String(value) : thousands(String(value));
}

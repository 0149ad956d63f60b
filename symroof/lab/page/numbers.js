/** Numbers that people read and type: a prefix that fits, exact fractions, quantities with a unit. */

import { fraction } from "./arithmetic.js";

/** @typedef {import("./arithmetic.js").Fraction} Fraction */

const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
const DECIMAL = ["", "k", "M", "G", "T", "P", "E"];
const NUMBER = /^\s*([+-]?(?:\d+(?:_\d+)*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,2})?)(?:\s*\/\s*(\d+))?\s*([^\d\s].*)?$/;
const LONGEST_VALUE = 200;
// The time in a unit, alone or between others: s, s/document, GPU*s.
const SECOND = /\bs\b/;

/** An exact number as the page's data has it: a whole number, or a text `p/q`. @param {number | string} value @returns {Fraction} */
export function read(value) {
    const [above, below] = String(value).split("/");
    return fraction(BigInt(above), BigInt(below ?? 1));
}

/** @param {Fraction} x */
export function text(x) {
    return x.d === 1n ? String(x.n) : `${x.n}/${x.d}`;
}

/** A fraction as people write it: with a point where that ends. @param {Fraction} x */
export function decimal(x) {
    for (let places = 1, ten = 10n; places <= 6; places += 1, ten *= 10n) {
        if (x.d === 1n || ten % x.d) continue;
        const digits = String((x.n < 0n ? -x.n : x.n) * (ten / x.d)).padStart(places + 1, "0");
        return `${x.n < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
    }
    return text(x);
}

/**
 * The entries of a list: between commas, spaces or semicolons; with a space after a comma, a comma inside a number groups its digits.
 * @param {string} typed
 */
export function entries(typed) {
    const spaced = /[,;]\s/.test(typed);
    return typed.trim().replace(/^\[|\]$/g, "").split(/[,;]?\s+|;/).flatMap((e) => (spaced && /^\d{1,3}(,\d{3})+$/.test(e) ? [e] : e.split(",")));
}

/** The float nearest to a fraction, and whether it is the fraction itself. @param {Fraction} x @returns {[number, boolean]} */
export function float(x) {
    if (x.d === 1n) return [Number(x.n), BigInt(Number(x.n)) === x.n];
    const shift = BigInt(Math.max(0, 64 + bits(x.d) - bits(x.n)));
    const value = Number((x.n << shift) / x.d) / 2 ** Number(shift);
    return [value, (x.d & (x.d - 1n)) === 0n && bits(x.n) <= 53];
}

/** @param {bigint} n */
function bits(n) {
    return (n < 0n ? -n : n).toString(2).length;
}

/**
 * What somebody typed for a value in a unit, exact and in base units; a message where it is none.
 * @param {string} typed @param {string} unit @returns {Fraction | string}
 */
export function parse(typed, unit) {
    const match = typed.length <= LONGEST_VALUE ? NUMBER.exec(typed.replace(/^(\s*[+-]?\d{1,3}(?:,\d{3})+)(?![\d,])/, (n) => n.replace(/,/g, ""))) : null;
    if (!match) return `“${typed.slice(0, 40)}” is no value: write an integer, a decimal, a fraction 1/2 or a quantity ${example(unit)}`;
    const factor = scale((match[3] ?? "").trim(), unit);
    if (factor === null) return `${match[3]} is no unit of this value, which is in ${unit}`;
    const [digits, exponent] = match[1].replace(/_/g, "").toLowerCase().split("e");
    const [whole, part = ""] = digits.split(".");
    if (match[2] && BigInt(match[2]) === 0n) return `“${typed}” divides by zero`;
    const power = Number(exponent ?? 0) - part.length;
    const number = fraction(BigInt(whole + part) * 10n ** BigInt(Math.max(0, power)), 10n ** BigInt(Math.max(0, -power)) * BigInt(match[2] ?? 1));
    return fraction(number.n * factor.n, number.d * factor.d);
}

/** @param {string} unit */
function example(unit) {
    if (/^byte.*\/s/.test(unit)) return "50 GB/s";
    if (/^byte/.test(unit)) return "3.5 MiB";
    if (/^FLOP\/s/.test(unit)) return "2.5 PFLOP/s";
    return unit === "s" ? "1.029 ms" : unit === "1" ? "5%" : `64 ${unit}`;
}

/** How many base units a typed unit is; null where it is another's. @param {string} typed @param {string} unit @returns {Fraction | null} */
function scale(typed, unit) {
    const plain = unit.replace(/@\w+/g, "");
    typed = typed.replace(/@\w+/g, "").replace(/\u03bc/g, "\u00b5");
    if (typed === "" || typed === plain || typed === plain.replace(/^[a-z]\w+/, "$&s")) return fraction(1n);
    if (plain === "1") return typed === "%" ? fraction(1n, 100n) : null;
    if (plain === "s") return TIMES[typed] ?? null;
    const [base, ...rest] = plain.split("/");
    const tail = rest.map((r) => `/${r}`).join("");
    if (!typed.endsWith(tail) || !["byte", "FLOP"].includes(base)) return null;
    const head = typed.slice(0, typed.length - tail.length).trim();
    const found = /^(.*?)(byte|B|bit|b|FLOP)$/.exec(head);
    if (!found || (found[2] === "FLOP") !== (base === "FLOP")) return null;
    const eighth = found[2] === "bit" || found[2] === "b" ? 8n : 1n;
    const two = BINARY.indexOf(found[1]), ten = DECIMAL.indexOf(found[1]);
    if (ten >= 0) return fraction(1000n ** BigInt(ten), eighth);
    return two > 0 && base === "byte" ? fraction(1024n ** BigInt(two), eighth) : null;
}

/** @type {Record<string, Fraction>} */
const TIMES = {
    s: fraction(1n), ms: fraction(1n, 1000n), us: fraction(1n, 1000000n), "\u00b5s": fraction(1n, 1000000n),
    ns: fraction(1n, 1000000000n), min: fraction(60n), h: fraction(3600n),
};

/** A value with its unit at the scale of its size: `840 MiB`, `12.309 s`. @param {number} value @param {string} unit */
export function humane(value, unit) {
    const [number, shown] = scaled(value, unit);
    return shown ? `${number} ${shown}` : number;
}

/** @param {number} value @param {string} unit @returns {[string, string]} the number and its unit */
export function scaled(value, unit) {
    const plain = unit.replace(/@\w+/g, "");
    const [above, ...below] = plain.split("/"), perSecond = below.includes("s");
    const size = Math.abs(value);
    if (size && SECOND.test(above) && !perSecond) return time(value, unit);
    if (above === "byte") return prefixed(value, unit, "byte", "B", perSecond || below.includes("FLOP") ? 1000 : 1024);
    if (above === "FLOP" && size >= 1e6 && !below.includes("byte")) return prefixed(value, unit, "FLOP", "FLOP", 1000);
    return [grouped(value), unit === "1" ? "" : unit];
}

/** @param {number} value @param {string} unit @returns {[string, string]} */
function time(value, unit) {
    for (const [power, prefix] of /** @type {[number, string][]} */ ([[0, ""], [3, "m"], [6, "µ"]])) {
        if (rounded(Math.abs(value) * 10 ** power) >= 1) return [grouped(value * 10 ** power), unit.replace(SECOND, `${prefix}s`)];
    }
    return [grouped(value * 1e9), unit.replace(SECOND, "ns")];
}

/** @param {number} value @param {string} unit @param {string} base @param {string} short @param {number} step @returns {[string, string]} */
function prefixed(value, unit, base, short, step) {
    const prefixes = step === 1024 ? BINARY : DECIMAL;
    let power = 0;
    while (power + 1 < prefixes.length && rounded(Math.abs(value) / step ** power) >= step) power += 1;
    return [grouped(value / step ** power), unit.replace(base, power ? prefixes[power] + short : base)];
}

/** @param {number} value */
function rounded(value) {
    return Number(grouped(value).replace(/,/g, ""));
}

/** All digits of an integer, else five significant ones; tiny and huge ones as powers of ten. @param {number} value */
export function grouped(value) {
    if (!Number.isFinite(value)) return "—";
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return thousands(String(value));
    return significant(value, Number(value.toPrecision(6)) === value ? 6 : 5);
}

/** Digits in groups of three. @param {string} digits */
export function thousands(digits) {
    return digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** @param {number} value @param {number} digits */
export function significant(value, digits) {
    if (value === 0) return "0";
    const exponent = Math.floor(Math.log10(Math.abs(value)));
    if (exponent >= -5 && exponent < 9) {
        const [whole, part] = value.toFixed(Math.min(20, Math.max(0, digits - 1 - exponent))).split(".");
        const kept = (part ?? "").replace(/0+$/, "");
        return thousands(whole) + (kept ? `.${kept}` : "");
    }
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${Number(power)}`;
}

/** True where what is shown, read back, is the value. @param {number} value @param {string} unit */
export function showsExactly(value, unit) {
    const [number, shown] = scaled(value, unit);
    const found = parse(number.replace(/,/g, ""), "1");
    if (typeof found === "string") return false;
    const factor = shown && shown !== unit ? scale(shown.replace(/@\w+/g, ""), unit) : fraction(1n);
    return factor !== null && float(fraction(found.n * factor.n, found.d * factor.d))[0] === value;
}

/**
 * The arithmetics that a printed line runs in: floats that know whether they were rounded, numbers with a derivative, exact
 * fractions. A line calls an arithmetic `a` by one-letter methods:
 *
 *     r slot    k whole number   q quotient of whole numbers   p + s - m * d / n negative w power x max i min
 *     f floor   c ceiling        F, C the same of a quotient   b binomial   h 1 - b(a, k)/b(b, k)   g difference
 *     l <=      t <              e ==                          v divides    z sum over whole numbers o sum over a list
 */

export const ROUNDED = 1;
export const MISSING = 2;
export const NONE = 4;
/**
 * What counts as rounding, relative to the number that was rounded (`slack`), near a whole number (`grain`) and between the
 * largest values (`tie`); the most draws of a binomial and terms of a sum. A book's data has them: one table for every language.
 */
export const LIMITS = { slack: NaN, grain: NaN, tie: NaN, draws: NaN, terms: NaN };

/** @typedef {Map<number, [number, number][]>} Lists lists by slot, as pairs of an entry and how many of it there are */

/** True where a float product has no rounding error. @param {number} x @param {number} y @param {number} product */
function multiplies(x, y, product) {
    if (Number.isSafeInteger(product) && Number.isSafeInteger(x) && Number.isSafeInteger(y)) return true;
    if (product === 0) return x === 0 || y === 0;
    if (Math.abs(product) < 1e-280) return false;
    const a = 134217729 * x, b = 134217729 * y;
    const high = a - (a - x), low = x - high, top = b - (b - y), rest = y - top;
    return high * top - product + high * rest + low * top + low * rest === 0;
}

/**
 * Floats; `state` gathers what happened since it was last set to 0: ROUNDED where an operation rounded, MISSING where a value
 * was not given, NONE where there is none. Comparisons and roundings of what was rounded allow for it.
 */
export class Floats {
    /** @param {number} size how many slots */
    constructor(size) {
        this.values = new Float64Array(size).fill(NaN);
        this.states = new Uint8Array(size).fill(MISSING);
        /** @type {Lists} */
        this.lists = new Map();
        this.state = 0;
    }

    /** @param {number} i */
    r(i) {
        this.state |= this.states[i];
        return this.values[i];
    }

    /** @param {number} x */
    k(x) {
        return x;
    }

    /** @param {number | string} x @param {number | string} y */
    q(x, y) {
        if (typeof x === "string" || typeof y === "string") this.state |= ROUNDED;
        return this.d(Number(x), Number(y));
    }

    /** @param {number} x @param {number} y */
    p(x, y) {
        const sum = x + y, second = sum - x;
        if (x - (sum - second) + (y - second) !== 0) this.state |= ROUNDED;
        return sum;
    }

    /** @param {number} x @param {number} y */
    s(x, y) {
        return this.p(x, -y);
    }

    /** @param {number} x @param {number} y */
    m(x, y) {
        const product = x * y;
        if (!multiplies(x, y, product)) this.state |= ROUNDED;
        return product;
    }

    /** @param {number} x @param {number} y */
    d(x, y) {
        if (y === 0) {
            this.state |= NONE;
            return NaN;
        }
        const quotient = x / y;
        if (quotient * y !== x || !multiplies(quotient, y, x)) this.state |= ROUNDED;
        return quotient;
    }

    /** @param {number} x */
    n(x) {
        return -x;
    }

    /** @param {number} x @param {number} y */
    w(x, y) {
        if (!Number.isInteger(y) || Math.abs(y) > 512) {
            this.state |= NONE;
            return NaN;
        }
        let product = 1;
        for (let j = 0; j < Math.abs(y); j += 1) product = this.m(product, x);
        return y < 0 ? this.d(1, product) : product;
    }

    /** @param {number} x @param {number} y */
    x(x, y) {
        return Math.max(x, y);
    }

    /** @param {number} x @param {number} y */
    i(x, y) {
        return Math.min(x, y);
    }

    /** @param {number} x */
    f(x) {
        return this.state & ROUNDED ? Math.floor(x + Math.min(LIMITS.slack * Math.abs(x), LIMITS.grain)) : Math.floor(x);
    }

    /** @param {number} x */
    c(x) {
        return 0 - this.f(-x);
    }

    /** A quotient of whole numbers never rounds across an integer. @param {number} x @param {number} y */
    F(x, y) {
        if (this.state === 0 && y !== 0 && Number.isSafeInteger(x) && Number.isSafeInteger(y)) return Math.floor(x / y);
        return this.f(this.d(x, y));
    }

    /** @param {number} x @param {number} y */
    C(x, y) {
        return 0 - this.F(-x, y);
    }

    /** @param {number} k */
    draws(k) {
        const may = Number.isInteger(k) && k >= 0 && k <= LIMITS.draws;
        if (!may) this.state |= NONE;
        return may ? k : 0;
    }

    /** @param {number} n @param {number} k */
    b(n, k) {
        let found = 1;
        const draws = this.draws(k);
        for (let j = 0; j < draws; j += 1) found = this.d(this.m(found, this.s(n, j)), j + 1);
        return found;
    }

    /** @param {number} a @param {number} b @param {number} k */
    h(a, b, k) {
        const draws = this.draws(k), gap = this.s(b, a);
        let chance = 0;
        for (let j = 0; j < draws && chance !== 1; j += 1) {
            chance = this.p(chance, this.m(this.s(1, chance), this.d(gap, this.s(b, j))));
        }
        return chance;
    }

    /** @param {number} x @param {number} y */
    g(x, y) {
        return this.state & ROUNDED && Math.abs(x - y) <= LIMITS.slack * Math.abs(x) ? 0 : this.s(x, y);
    }

    /** @param {number} x @param {number} y */
    l(x, y) {
        return this.state & ROUNDED ? x - y <= LIMITS.slack * Math.abs(y) : x <= y;
    }

    /** @param {number} x @param {number} y */
    t(x, y) {
        return !this.l(y, x);
    }

    /** @param {number} x @param {number} y */
    e(x, y) {
        return this.state & ROUNDED ? Math.abs(x - y) <= LIMITS.slack * Math.abs(y) : x === y;
    }

    /** @param {number} x @param {number} y */
    v(x, y) {
        if (!(this.state & ROUNDED)) return x !== 0 && y % x === 0;
        const times = y / x;
        return Math.abs(times - Math.round(times)) <= Math.min(LIMITS.slack * Math.abs(times), LIMITS.grain);
    }

    /** @param {number} start @param {number} stop @param {(i: number) => number} of */
    z(start, stop, of) {
        if (!Number.isInteger(start) || !Number.isInteger(stop) || stop - start > LIMITS.terms) {
            this.state |= NONE;
            return NaN;
        }
        let sum = 0;
        for (let i = start; i <= stop; i += 1) sum = this.p(sum, of(i));
        return sum;
    }

    /** @param {number} slot @param {() => [number, number]} instead @param {(entry: number) => number} of */
    o(slot, instead, of) {
        let sum = 0;
        for (const [entry, count] of this.lists.get(slot) ?? [instead()]) sum = this.p(sum, this.m(count, of(entry)));
        return sum;
    }
}

/** @typedef {{v: number, d: number}} Dual a value and its derivative */

/**
 * Values with a derivative, on the branch in force; where branches tie, on the one just below. Values come from `floats`;
 * roundings stand still.
 */
export class Duals {
    /** @param {Floats} floats @param {number} side where two branches meet: from below (-1) or from above (1) */
    constructor(floats, side) {
        this.floats = floats;
        this.side = side;
        this.slopes = new Float64Array(floats.values.length);
    }

    /** @param {number} v @param {number} d @returns {Dual} */
    of(v, d) {
        return { v, d };
    }

    /** @param {number} i */
    r(i) {
        return this.of(this.floats.values[i], this.slopes[i]);
    }

    /** @param {number} x */
    k(x) {
        return this.of(x, 0);
    }

    /** @param {number | string} x @param {number | string} y */
    q(x, y) {
        return this.of(Number(x) / Number(y), 0);
    }

    /** @param {Dual} x @param {Dual} y */
    p(x, y) {
        return this.of(x.v + y.v, x.d + y.d);
    }

    /** @param {Dual} x @param {Dual} y */
    s(x, y) {
        return this.of(x.v - y.v, x.d - y.d);
    }

    /** @param {Dual} x @param {Dual} y */
    m(x, y) {
        return this.of(x.v * y.v, x.d * y.v + x.v * y.d);
    }

    /** @param {Dual} x @param {Dual} y */
    d(x, y) {
        return this.of(x.v / y.v, (x.d - (x.v / y.v) * y.d) / y.v);
    }

    /** @param {Dual} x */
    n(x) {
        return this.of(-x.v, -x.d);
    }

    /** An exponent stands still. @param {Dual} x @param {Dual} y */
    w(x, y) {
        return this.of(x.v ** y.v, y.d ? NaN : y.v * x.v ** (y.v - 1) * x.d);
    }

    /** @param {Dual} x @param {Dual} y */
    x(x, y) {
        return (same(x.v, y.v) ? (y.d - x.d) * this.side <= 0 : x.v > y.v) ? x : y;
    }

    /** @param {Dual} x @param {Dual} y */
    i(x, y) {
        return (same(x.v, y.v) ? (x.d - y.d) * this.side <= 0 : x.v < y.v) ? x : y;
    }

    /** @param {Dual} x */
    f(x) {
        return this.of(Math.floor(x.v + Math.min(LIMITS.slack * Math.abs(x.v), LIMITS.grain)), 0);
    }

    /** @param {Dual} x */
    c(x) {
        return this.n(this.f(this.n(x)));
    }

    /** @param {Dual} x @param {Dual} y */
    F(x, y) {
        return this.f(this.d(x, y));
    }

    /** @param {Dual} x @param {Dual} y */
    C(x, y) {
        return this.c(this.d(x, y));
    }

    /** A lower index is whole and has differences, no derivative. @param {Dual} n @param {Dual} k */
    b(n, k) {
        let found = this.of(1, k.d ? NaN : 0);
        for (let j = 0; j < k.v; j += 1) found = this.m(found, this.of((n.v - j) / (j + 1), n.d / (j + 1)));
        return found;
    }

    /** @param {Dual} a @param {Dual} b @param {Dual} k */
    h(a, b, k) {
        let chance = this.of(0, k.d ? NaN : 0);
        for (let j = 0; j < k.v; j += 1) {
            const more = this.d(this.s(b, a), this.of(b.v - j, b.d));
            chance = this.p(chance, this.m(this.s(this.k(1), chance), more));
        }
        return chance;
    }

    /** @param {Dual} x @param {Dual} y */
    g(x, y) {
        return this.of(same(x.v, y.v) ? 0 : x.v - y.v, x.d - y.d);
    }

    /** @param {Dual} x @param {Dual} y */
    l(x, y) {
        return same(x.v, y.v) || x.v <= y.v;
    }

    /** @param {Dual} x @param {Dual} y */
    t(x, y) {
        return !this.l(y, x);
    }

    /** @param {Dual} x @param {Dual} y */
    e(x, y) {
        return same(x.v, y.v);
    }

    /** @param {Dual} x @param {Dual} y */
    v(x, y) {
        const times = y.v / x.v;
        return Math.abs(times - Math.round(times)) <= Math.min(LIMITS.slack * Math.abs(times), LIMITS.grain);
    }

    /** A sum whose ends move has differences, no derivative. @param {Dual} start @param {Dual} stop @param {(i: Dual) => Dual} of */
    z(start, stop, of) {
        let sum = this.of(0, start.d || stop.d ? NaN : 0);
        for (let i = start.v; i <= stop.v; i += 1) sum = this.p(sum, of(this.k(i)));
        return sum;
    }

    /** @param {number} slot @param {() => [Dual, Dual]} instead @param {(entry: Dual) => Dual} of */
    o(slot, instead, of) {
        const list = this.floats.lists.get(slot)?.map(([entry, count]) => [this.k(entry), this.k(count)]) ?? [instead()];
        return list.reduce((sum, [entry, count]) => this.p(sum, this.m(count, of(entry))), this.k(0));
    }
}

/** @param {number} x @param {number} y */
function same(x, y) {
    return Math.abs(x - y) <= LIMITS.slack * Math.abs(y);
}

/** @typedef {{n: bigint, d: bigint}} Fraction lowest terms, the denominator positive */

/** @param {bigint} n @param {bigint} d @returns {Fraction} */
export function fraction(n, d = 1n) {
    if (d === 0n) throw new RangeError("no value: it divides by zero");
    let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
    while (b) [a, b] = [b, a % b];
    const sign = d < 0n ? -1n : 1n;
    return a ? { n: (sign * n) / a, d: (sign * d) / a } : { n: 0n, d: 1n };
}

/** Exact fractions; `look` gives what a slot holds. Throws a RangeError where there is no value. */
export class Fractions {
    /** @param {(slot: number) => Fraction} look @param {(slot: number) => [Fraction, Fraction][] | undefined} list */
    constructor(look, list) {
        this.r = look;
        this.list = list;
    }

    /** @param {number} x */
    k(x) {
        return fraction(BigInt(x));
    }

    /** @param {number | string} x @param {number | string} y */
    q(x, y) {
        return fraction(BigInt(x), BigInt(y));
    }

    /** @param {Fraction} x @param {Fraction} y */
    p(x, y) {
        return fraction(x.n * y.d + y.n * x.d, x.d * y.d);
    }

    /** @param {Fraction} x @param {Fraction} y */
    s(x, y) {
        return fraction(x.n * y.d - y.n * x.d, x.d * y.d);
    }

    /** @param {Fraction} x @param {Fraction} y */
    m(x, y) {
        return fraction(x.n * y.n, x.d * y.d);
    }

    /** @param {Fraction} x @param {Fraction} y */
    d(x, y) {
        return fraction(x.n * y.d, x.d * y.n);
    }

    /** @param {Fraction} x */
    n(x) {
        return fraction(-x.n, x.d);
    }

    /** @param {Fraction} x @param {Fraction} y */
    w(x, y) {
        if (y.d !== 1n || y.n > 512n || y.n < -512n) throw new RangeError("no value: the power is not rational");
        return y.n < 0n ? fraction(x.d ** -y.n, x.n ** -y.n) : fraction(x.n ** y.n, x.d ** y.n);
    }

    /** @param {Fraction} x @param {Fraction} y */
    x(x, y) {
        return this.l(y, x) ? x : y;
    }

    /** @param {Fraction} x @param {Fraction} y */
    i(x, y) {
        return this.l(x, y) ? x : y;
    }

    /** @param {Fraction} x */
    f(x) {
        const down = x.n < 0n && x.n % x.d !== 0n ? 1n : 0n;
        return fraction(x.n / x.d - down);
    }

    /** @param {Fraction} x */
    c(x) {
        return this.n(this.f(this.n(x)));
    }

    /** @param {Fraction} x @param {Fraction} y */
    F(x, y) {
        return this.f(this.d(x, y));
    }

    /** @param {Fraction} x @param {Fraction} y */
    C(x, y) {
        return this.c(this.d(x, y));
    }

    /** @param {Fraction} n @param {Fraction} k */
    b(n, k) {
        if (k.d !== 1n || k.n < 0n || k.n > BigInt(LIMITS.draws)) throw new RangeError("no value: a binomial needs a whole k");
        let found = fraction(1n);
        for (let j = 0n; j < k.n; j += 1n) found = this.m(found, fraction(n.n - j * n.d, n.d * (j + 1n)));
        return found;
    }

    /** @param {Fraction} a @param {Fraction} b @param {Fraction} k */
    h(a, b, k) {
        return this.s(fraction(1n), this.d(this.b(a, k), this.b(b, k)));
    }

    /** @param {Fraction} x @param {Fraction} y */
    g(x, y) {
        return this.s(x, y);
    }

    /** @param {Fraction} x @param {Fraction} y */
    l(x, y) {
        return x.n * y.d <= y.n * x.d;
    }

    /** @param {Fraction} x @param {Fraction} y */
    t(x, y) {
        return x.n * y.d < y.n * x.d;
    }

    /** @param {Fraction} x @param {Fraction} y */
    e(x, y) {
        return x.n === y.n && x.d === y.d;
    }

    /** @param {Fraction} x @param {Fraction} y */
    v(x, y) {
        return x.n !== 0n && this.d(y, x).d === 1n;
    }

    /** @param {Fraction} start @param {Fraction} stop @param {(i: Fraction) => Fraction} of */
    z(start, stop, of) {
        if (start.d !== 1n || stop.d !== 1n || stop.n - start.n > BigInt(LIMITS.terms)) throw new RangeError("no value: no sum");
        let sum = fraction(0n);
        for (let i = start.n; i <= stop.n; i += 1n) sum = this.p(sum, of(fraction(i)));
        return sum;
    }

    /** @param {number} slot @param {() => [Fraction, Fraction]} instead @param {(entry: Fraction) => Fraction} of */
    o(slot, instead, of) {
        return (this.list(slot) ?? [instead()]).reduce((sum, [e, n]) => this.p(sum, this.m(n, of(e))), fraction(0n));
    }
}

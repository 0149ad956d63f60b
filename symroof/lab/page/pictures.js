/** Pictures that move with the values, as SVG: the composition of the step, three roofs, 1F1B, elasticities, a sweep. */

import { kinked } from "./questions.js";
import { MISSING, NONE } from "./arithmetic.js";
import { grouped, humane } from "./numbers.js";

/** @typedef {import("./lab.js").State} State */
/** @typedef {{svg: string, says: string}} Picture a drawing, and what it says in words */

/** The width of a picture in its own units: fewer on a narrow screen, so that its letters stay readable. */
export const paper = { wide: 640 };
/** A character's width in the small text of pictures, rather too large. */
const LETTER = 6.4;
const MOST_PASSES = 9000;

/** @param {number} n */
const f = (n) => String(Math.round(n * 100) / 100);
/** @param {string} s */
const safe = (s) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** @param {number} x @param {number} y @param {string} says @param {string} [more] */
function label(x, y, says, more = "") {
    return `<text x="${f(x)}" y="${f(y)}" ${more}>${safe(says)}</text>`;
}

/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} of */
function bar(x, y, w, h, of) {
    return `<rect x="${f(x)}" y="${f(y)}" width="${f(Math.max(0, w))}" height="${f(h)}" class="${of}"/>`;
}

/** @param {number} height @param {string} inner @param {string} says */
function framed(height, inner, says) {
    return { svg: `<svg viewBox="0 0 ${paper.wide} ${f(height)}" role="img" aria-label="${safe(says)}">${inner}</svg>`, says };
}

/** @param {State} state @param {string} name */
function known(state, name) {
    const { value, missing, none } = state.value(name);
    return missing || none ? null : value;
}

/** What a total is made of; beside it, faint, the same of another state. @param {State} state @param {State | null} other @returns {Picture | null} */
export function composition(state, other) {
    const table = state.structure.pictures.composition;
    const total = table && known(state, table.total);
    if (!table || total === null) return null;
    const before = other?.has(table.total) ? known(other, table.total) : null;
    const unit = state.book.unit(table.total), named = (/** @type {string} */ n) => state.called([n], "");
    /** @type {string[]} */
    const looks = [];
    const rows = [], stack = [];
    for (const [name, contest] of table.rows) {
        const value = known(state, name) ?? 0;
        const best = contest.filter((/** @type {string} */ c) => known(state, c) === value);
        for (const one of contest) {
            looks.push(one);
            rows.push({ name: one, value: known(state, one) ?? 0, binds: best.includes(one) });
        }
        if (!contest.length) looks.push(name);
        stack.push({ name: best[0] ?? name, says: best.map(named).join(" = ") || named(name), value });
    }
    const longest = Math.max(total, before ?? 0, ...rows.map((r) => r.value)), left = 84, across = (paper.wide - left - 120) / (longest || 1);
    let inner = "", y = 6;
    for (const row of rows) {
        inner += label(left - 8, y + 15, named(row.name), 'text-anchor="end"');
        const then = other?.has(row.name) ? known(other, row.name) : null;
        if (then !== null) inner += bar(left, y + 20, then * across, 3, "ghost");
        inner += bar(left, y, row.value * across, 19, `c${looks.indexOf(row.name)}${row.binds ? " binds" : ""}`);
        inner += label(left + row.value * across + 6, y + 14, `${humane(row.value, unit)}${row.binds ? ", binds" : ""}`, row.binds ? 'class="strong"' : "");
        y += 27;
    }
    inner += `<line x1="0" x2="${paper.wide}" y1="${y}" y2="${y}" class="rule"/>` + label(left - 8, y + 22, named(table.total), 'text-anchor="end" class="strong"');
    const unsaid = [];
    let x = left;
    for (const part of stack) {
        const width = part.value * across;
        inner += bar(x, y + 7, width, 21, `c${looks.indexOf(part.name)}`);
        if (part.says.length * LETTER + 8 >= width) unsaid.push(`${part.says} ${humane(part.value, unit)}`);
        else inner += label(x + width / 2, y + 22, part.says, 'text-anchor="middle" class="on"');
        x += width;
    }
    if (before !== null) inner += bar(left, y + 29, before * across, 3, "ghost");
    inner += label(x + 6, y + 22, humane(total, unit), 'class="strong"');
    if (unsaid.length) inner += label(x, y + 43, unsaid.join(", "), 'text-anchor="end"');
    const says = `${table.title}: ${rows.map((r) => `${named(r.name)} ${humane(r.value, unit)}${r.binds ? ", which binds" : ""}`).join("; ")}. ${named(table.total)} ${humane(total, unit)}, which is ${stack.map((s) => s.says).join(" plus ")}.`;
    return framed(y + (unsaid.length ? 50 : 36), inner, says);
}

/** The roofs of the machine, and kernels under them. @param {State} state @returns {Picture | null} */
export function roofline(state) {
    const table = state.structure.pictures.roofline, look = (/** @type {number} */ s) => (state.floats.states[s] & (MISSING | NONE) ? NaN : state.floats.values[s]);
    const peak = table ? look(table.peak) : NaN;
    if (!(peak > 0)) return null;
    const roofs = table.roofs.map((/** @type {any} */ r) => ({ says: r[0], rate: look(r[1]), unit: state.book.unit(r[2]) }));
    const kernels = table.kernels
        .map((/** @type {any} */ k) => ({ says: k[0], roof: k[1], at: k.length === 3 ? look(k[2]) : look(k[2]) / look(k[3]) }))
        .filter((/** @type {any} */ k) => k.at > 0 && Number.isFinite(k.at) && roofs[k.roof].rate > 0);
    const ridges = roofs.map((/** @type {any} */ r) => Math.log10(peak / r.rate)).filter(Number.isFinite);
    if (!ridges.length) return null;
    const marks = kernels.map((/** @type {any} */ k) => Math.log10(k.at));
    const low = Math.floor(Math.min(...ridges, ...marks) - 0.6), high = Math.ceil(Math.max(...ridges, ...marks) + 0.3);
    const top = Math.log10(peak), left = 56, right = paper.wide - 10, head = 28 + 15 * kernels.length, foot = head + 190;
    const lowest = Math.min(...kernels.map((/** @type {any} */ k) => Math.log10(k.at * roofs[k.roof].rate)), top);
    const deep = Math.max(3.2, top - lowest + 0.3);
    const px = (/** @type {number} */ log) => left + ((log - low) / (high - low)) * (right - left);
    const py = (/** @type {number} */ log) => head + 8 + ((top - log) / deep) * (foot - head - 8);
    let inner = "";
    for (let e = low; e <= high; e += 1) {
        inner += `<line x1="${f(px(e))}" x2="${f(px(e))}" y1="${head}" y2="${foot}" class="grid"/>` + label(px(e), foot + 15, power(e), 'text-anchor="middle"');
    }
    for (let e = Math.ceil(top - deep); e <= top; e += 1) inner += `<line x1="${left}" x2="${right}" y1="${f(py(e))}" y2="${f(py(e))}" class="grid"/>` + label(left - 6, py(e) + 4, power(e), 'text-anchor="end"');
    const first = Math.min(...ridges), says = `peak ${humane(peak, "FLOP/s")}`;
    inner += `<path d="M${f(px(first))} ${f(py(top))}H${right}" class="l0"/>` + label(right, py(top) + 17, says, 'class="haloed" text-anchor="end"');
    roofs.forEach((/** @type {any} */ roof, /** @type {number} */ i) => {
        if (!(roof.rate > 0)) return;
        const ridge = Math.log10(peak / roof.rate), start = Math.max(low, ridge - deep);
        inner += `<path d="M${f(px(start))} ${f(py(start + Math.log10(roof.rate)))}L${f(px(ridge))} ${f(py(top))}" class="l${i + 1}"/>`;
        const angle = (Math.atan2(py(top) - py(top - 1), px(1) - px(0)) * 180) / Math.PI, middle = ridge - deep * 0.45;
        const [x, y] = [px(Math.max(middle, low + 0.4)), py(Math.max(middle, low + 0.4) + Math.log10(roof.rate))];
        inner += `<g transform="translate(${f(x)} ${f(y)}) rotate(${f(angle)})">${label(0, -5, `${roof.says} ${humane(roof.rate, roof.unit.replace(/@\w+/, ""))}`, 'text-anchor="middle"')}</g>`;
    });
    kernels.sort((/** @type {any} */ a, /** @type {any} */ b) => a.at - b.at).forEach((/** @type {any} */ k, /** @type {number} */ i) => {
        const x = px(Math.log10(k.at)), y = py(Math.min(top, Math.log10(k.at * roofs[k.roof].rate))), at = 14 + 15 * i;
        const names = `${k.says} (${roofs[k.roof].says}) ${grouped(k.at)}`, after = names.length * LETTER + 12 > x;
        inner += `<line x1="${f(x)}" x2="${f(x)}" y1="${f(y)}" y2="${at + 3}" class="rule"/>` + label(after ? Math.min(x + 5, paper.wide - names.length * LETTER) : x - 5, at, names, `class="haloed"${after ? "" : ' text-anchor="end"'}`);
        inner += `<circle cx="${f(x)}" cy="${f(y)}" r="4.5" class="c${k.roof + 1} mark"/>`;
    });
    inner += label((left + right) / 2, foot + 32, "FLOP for each byte on the carrier", 'text-anchor="middle"');
    const under = kernels.filter((/** @type {any} */ k) => k.at * roofs[k.roof].rate < peak).map((/** @type {any} */ k) => `${k.says} on ${roofs[k.roof].says}`);
    return framed(foot + 40, inner, `${table.title}. Peak ${humane(peak, "FLOP/s")}. ${roofs.some((/** @type {any} */ r) => !(r.rate > 0)) ? "A roof that is not given is not drawn. " : ""}${under.length ? `Below a slope: ${under.join(", ")}.` : "Every kernel shown is under the flat roof."}`);
}

/** @param {number} e */
function power(e) {
    const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    return e === 0 ? "1" : e === 1 ? "10" : `10${e < 0 ? "⁻" : ""}${[...String(Math.abs(e))].map((d) => digits[Number(d)]).join("")}`;
}

/** Every pass of ordinary 1F1B, as early as it can start. @param {number} stages @param {number} count @param {number[]} lengths forward, recompute, backward */
export function passes(stages, count, [forward, again, backward]) {
    const done = new Map(), free = Array(stages).fill(0), place = Array(stages).fill(0);
    const orders = Array.from({ length: stages }, (_, s) => order(s, stages, count));
    /** @type {{stage: number, kind: number, start: number, end: number}[]} */
    const found = [];
    const key = (/** @type {number} */ s, /** @type {boolean} */ ahead, /** @type {number} */ m) => (s * count + m) * 2 + Number(ahead);
    for (let left = stages * count * 2; left > 0;) {
        for (let s = 0; s < stages; s += 1) {
            while (place[s] < orders[s].length) {
                const [ahead, m] = orders[s][place[s]];
                const needs = ahead ? (s ? key(s - 1, true, m) : -1) : s < stages - 1 ? key(s + 1, false, m) : key(s, true, m);
                if (needs >= 0 && !done.has(needs)) break;
                let start = Math.max(free[s], needs < 0 ? 0 : done.get(needs));
                for (const [kind, length] of ahead ? [[0, forward]] : [[1, again], [2, backward]]) {
                    if (length) found.push({ stage: s, kind, start, end: start + length });
                    start += length;
                }
                done.set(key(s, ahead, m), start);
                free[s] = start;
                place[s] += 1;
                left -= 1;
            }
        }
    }
    return found;
}

/** @param {number} stage @param {number} stages @param {number} count @returns {[boolean, number][]} */
function order(stage, stages, count) {
    const ahead = Math.min(stages - 1 - stage, count);
    /** @type {[boolean, number][]} */
    const found = [];
    for (let m = 0; m < ahead; m += 1) found.push([true, m]);
    for (let m = ahead; m < count; m += 1) found.push([true, m], [false, m - ahead]);
    for (let m = count - ahead; m < count; m += 1) found.push([false, m]);
    return found;
}

/** 1F1B to scale. @param {State} state @returns {Picture | null} */
export function schedule(state) {
    const table = state.structure.pictures.schedule;
    if (!table) return null;
    const look = (/** @type {string} */ k) => (k in table ? state.floats.values[table[k]] : 0);
    const [stages, count] = [look("stages"), look("microbatches")], lengths = [look("forward"), look("recompute"), look("backward")];
    if (![stages, count, ...lengths].every(Number.isFinite) || !(lengths[0] > 0)) return null;
    const bubble = `bubble ${grouped(look("bubble") * 100)}% of the work`;
    if (stages * count > MOST_PASSES) return framed(30, label(8, 20, `${stages} stages and ${count} microbatches are too many to draw; ${bubble}.`), `Too many to draw; ${bubble}.`);
    const all = passes(stages, count, lengths), last = Math.max(...all.map((p) => p.end)), left = 58;
    const row = Math.max(5, Math.min(17, 190 / stages)), across = (paper.wide - left - 6) / last;
    // A gap between passes looks like idle time where a pass is hardly wider than it.
    const paths = ["", "", ""], gap = row > 9 ? 2 : 1, between = Math.min(...lengths.filter(Boolean)) * across > 8 ? 0.6 : 0;
    for (const p of all) {
        const width = (p.end - p.start) * across - between;
        paths[p.kind] += `M${f(left + p.start * across)} ${f(p.stage * row + 6)}h${f(width)}v${f(row - gap)}h-${f(width)}z`;
    }
    let inner = bar(left, 6, last * across, stages * row - gap, "idle");
    paths.forEach((d, kind) => (inner += d ? `<path d="${d}" class="p${kind}"/>` : ""));
    const step = row < 11 ? stages - 1 || 1 : 1;
    for (let s = 0; s < stages; s += step) inner += label(left - 6, s * row + 6 + row / 2 + 3.5, `stage ${s + 1}`, 'text-anchor="end"');
    let x = left, y = stages * row + 15;
    for (const [kind, says] of [["p0", "forward"], ["p1", "recomputed"], ["p2", "backward"], ["idle", bubble]]) {
        if (kind === "p1" && !lengths[1]) continue;
        if (x + says.length * LETTER + 16 > paper.wide) [x, y] = [left, y + 17];
        inner += bar(x, y, 11, 11, kind) + label(x + 16, y + 10, says);
        x += says.length * LETTER + 36;
    }
    return framed(y + 19, inner, `${table.title}: ${stages} stages, ${count} microbatches, ${bubble}.`);
}

/** Elasticities as bars about zero. @param {State} state @param {import("./questions.js").Sensitivity[]} found @param {string} of @returns {Picture | null} */
export function elasticity(state, found, of) {
    // A switch has no small change, and what has no other value has none either.
    const may = (/** @type {string} */ n) => state.book.data.names[n].d !== "switch" && state.values(n).length > 1;
    const shown = found.filter((s) => Number.isFinite(s.elasticity) && s.elasticity !== 0 && !kinked(s) && may(s.name)).slice(0, 12);
    if (!shown.length) return null;
    const most = Math.max(1, ...shown.map((s) => Math.abs(s.elasticity))), left = 150, middle = left + (paper.wide - left) / 2, across = ((paper.wide - left) / 2 - 54) / most;
    let inner = "";
    shown.forEach((s, i) => {
        const y = 6 + i * 22, width = Math.abs(s.elasticity) * across, x = s.elasticity < 0 ? middle - width : middle;
        inner += label(left - 10, y + 13, s.name, 'text-anchor="end"') + bar(x, y, width, 16, s.elasticity < 0 ? "c2" : "c0");
        inner += label(s.elasticity < 0 ? x - 5 : x + width + 5, y + 13, grouped(s.elasticity).replace("-", "−"), s.elasticity < 0 ? 'text-anchor="end"' : "");
    });
    const height = 6 + shown.length * 22;
    inner += `<line x1="${f(middle)}" x2="${f(middle)}" y1="2" y2="${height}" class="rule"/>`;
    return framed(height + 4, inner, `Elasticities of ${of}: ${shown.map((s) => `${s.name} ${grouped(s.elasticity).replace("-", "−")}`).join(", ")}.`);
}

/**
 * A quantity along a control; with the regions in which one resource binds where it is made of what binds, and with its limit.
 * @param {State} state @param {string} over @param {string[]} of @param {{samples: any[], boundaries: any[]}} found @returns {Picture}
 */
export function curve(state, over, of, found) {
    const samples = found.samples.filter((s) => s.values.some((/** @type {any} */ v) => v !== null));
    if (samples.length < 2) return { svg: "", says: `Along ${over} there is no other run: nothing else is possible beside these settings.` };
    const shades = made(state, of[0]), limit = capacity(state, of[0]), unit = state.book.unit(of[0]), xUnit = state.book.unit(over);
    const values = samples.flatMap((s) => s.values.filter((/** @type {any} */ v) => v !== null)).concat(limit ?? []);
    const rungs = ladder(Math.min(0, ...values), Math.max(0, ...values)), [bottom, top] = [rungs[0], rungs[rungs.length - 1]];
    const left = 82, right = paper.wide - 14, head = 30, foot = 220, x = axis(samples.map((s) => s.x), left, right);
    const py = (/** @type {number} */ v) => foot - ((v - bottom) / (top - bottom || 1)) * (foot - head);
    let inner = shades ? regions(state, over, found.boundaries, samples, x.at, head, foot) : "";
    for (const v of rungs) inner += `<line x1="${left}" x2="${right}" y1="${f(py(v))}" y2="${f(py(v))}" class="${v === 0 ? "rule" : "grid"}"/>` + label(left - 6, py(v) + 4, humane(v, unit.replace(/@\w+|\/update/g, "")), 'text-anchor="end"');
    for (const v of x.ticks) inner += label(x.at(v), foot + 16, humane(v, xUnit.includes("/s") || xUnit === "1" ? xUnit.replace(/@\w+/g, "") : "1"), `text-anchor="${v === samples[0].x ? "start" : v === samples.at(-1).x ? "end" : "middle"}"`);
    if (limit !== null) inner += `<line x1="${left}" x2="${right}" y1="${f(py(limit))}" y2="${f(py(limit))}" class="limit"/>` + label(right, py(limit) - 4, `${state.book.data.lab.budget.limit} ${humane(limit, unit)}`, 'class="haloed" text-anchor="end"');
    of.forEach((_, i) => {
        const d = samples.filter((s) => s.values[i] !== null).map((s, j) => `${j ? "L" : "M"}${f(x.at(s.x))} ${f(py(s.values[i]))}`).join("");
        inner += `<path d="${d}" class="l${i}"/>`;
    });
    const here = state.given.get(over), now = here && Number(here.n) / Number(here.d), value = known(state, of[0]);
    if (now && value !== null && now >= samples[0].x && now <= samples.at(-1).x) inner += `<circle cx="${f(x.at(now))}" cy="${f(py(value))}" r="5" class="c0 mark"/>`;
    inner += label(right, foot + 46, `${over}${x.logs ? ", in doublings" : ""}`, 'text-anchor="end"') + label(left, foot + 46, of.join(", "));
    return framed(foot + 54, inner, `${of[0]} along ${over}, from ${humane(samples[0].values[0] ?? 0, unit)} to ${humane(samples.at(-1).values[0] ?? 0, unit)}.${shades ? ` ${turns(state, over, found.boundaries)}` : ""}`);
}

/** True of a quantity that is made of everything which may bind. @param {State} state @param {string} of */
function made(state, of) {
    const reached = state.restsOn(of);
    return state.rivals.length > 0 && state.rivals.every((s) => reached.has(s));
}

/** What a quantity has to stay below. @param {State} state @param {string} of */
function capacity(state, of) {
    const { budget } = state.book.data.lab;
    return budget?.of === of && state.has(budget.limit) ? known(state, budget.limit) : null;
}

/** Round numbers that span a range: steps of 1, 2 or 5. @param {number} low @param {number} high */
function ladder(low, high) {
    const rough = (high - low || 1) / 4, ten = 10 ** Math.floor(Math.log10(rough)), step = ten * ([1, 2, 5, 10].find((m) => m * ten >= rough) ?? 10);
    const found = [];
    for (let i = Math.floor(low / step); i <= Math.ceil(high / step); i += 1) found.push(Number((i * step).toPrecision(12)));
    return found;
}

/** A scale along samples, in doublings where they go far, and the samples that are named. @param {number[]} xs @param {number} left @param {number} right */
function axis(xs, left, right) {
    const logs = xs[0] > 0 && xs[xs.length - 1] / xs[0] > 12, scale = (/** @type {number} */ x) => (logs ? Math.log2(x) : x);
    const [first, last] = [scale(xs[0]), scale(xs[xs.length - 1])], centre = (first + last) / 2;
    const middle = xs.reduce((a, b) => (Math.abs(scale(b) - centre) < Math.abs(scale(a) - centre) ? b : a));
    return { logs, ticks: [...new Set([xs[0], middle, xs[xs.length - 1]])], at: (/** @type {number} */ x) => left + ((scale(x) - first) / (last - first || 1)) * (right - left) };
}

/** What binds, in words. @param {State} state @param {string} binds */
export function bound(state, binds) {
    return state.called(binds.split(", "), " and ");
}

/** @param {State} state @param {string} over @param {any[]} boundaries @param {any[]} samples @param {(x: number) => number} px @param {number} head @param {number} foot */
function regions(state, over, boundaries, samples, px, head, foot) {
    const ends = [...boundaries.map((b) => [b.at, b.before]), [samples.at(-1).x, samples.at(-1).binding]], kinds = [...new Set(ends.map(([, b]) => b))];
    let inner = "", start = samples[0].x;
    for (const [end, binds] of ends) {
        const width = px(end) - px(start), says = bound(state, binds);
        if (binds) inner += bar(px(start), head, width, foot - head, `b${kinds.indexOf(binds) % 2}`);
        if (start !== samples[0].x) inner += `<line x1="${f(px(start))}" x2="${f(px(start))}" y1="${head - 4}" y2="${foot}" class="rule"/>` + label(px(start), foot + 30, humane(start, state.book.unit(over)), 'text-anchor="middle" class="strong"');
        if (binds && says.length * LETTER + 6 < width) inner += label(px(start) + width / 2, head - 8, `${says} binds`, 'text-anchor="middle"');
        start = end;
    }
    return inner;
}

/** @param {State} state @param {string} over @param {any[]} boundaries */
function turns(state, over, boundaries) {
    const said = boundaries.map((b) => `at ${humane(b.at, state.book.unit(over))} ${bound(state, b.after)} takes over from ${bound(state, b.before)}`);
    return said.length ? `What binds changes: ${said.join("; ")}.` : "What binds does not change.";
}

/** The printed lines, which `symroof lab` makes of a book: each a slot and the function of an arithmetic that fills it. */
export const code: { size: number; lines: [number, Function][]; predicates: Function[] };

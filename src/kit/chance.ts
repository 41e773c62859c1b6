/** Chance, for spreading waits: whoever was told to wait together must not come back together. Never for secrets or ids. */

/** 0 to below 1. */
export const chance: () => number = Math.random;

/** A whole number from `least` to `most`, both included. */
export const between = (least: number, most: number): number => least + Math.floor(chance() * (most - least + 1));

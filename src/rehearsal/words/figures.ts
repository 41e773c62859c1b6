/** Figures as both languages write them. */

const grouped = new Intl.NumberFormat('en');

/** 12345 as "12,345". */
export const number = (value: number): string => grouped.format(value);

/** "1 unit", "2 units". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

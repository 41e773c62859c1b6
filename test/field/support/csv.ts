/** Reads RFC 4180 text: quoted cells may hold commas, doubled quotes and line ends. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === ',') {
      row.push(cell);
      cell = '';
    } else if (sign === '\n' || (sign === '\r' && text[at + 1] === '\n')) {
      if (sign === '\r') at += 1;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += sign;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

/** The rows as records under the names of the first line. */
export function csvRecords(text: string): Record<string, string>[] {
  const [head = [], ...rows] = parseCsv(text.replace(/^\uFEFF/, ''));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}

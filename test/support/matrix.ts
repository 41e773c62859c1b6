/** Prints a table of what ran on what, so that a cell which was never filled is seen. */
export function printMatrix(
  title: string,
  rows: readonly string[],
  columns: readonly string[],
  cell: (row: string, column: string) => string | undefined,
): void {
  const width = Math.max(title.length, ...rows.map((row) => row.length));
  const line = (name: string, cells: readonly string[]): string =>
    [name.padEnd(width), ...cells.map((each, at) => each.padEnd(columns[at]?.length ?? 0))].join('  ').trimEnd();
  const lines = rows.map((row) =>
    line(
      row,
      columns.map((column) => cell(row, column) ?? 'NOT RUN'),
    ),
  );
  console.log([line(title, columns), ...lines].join('\n'));
}

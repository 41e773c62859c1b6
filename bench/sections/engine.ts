import type { Row, Settings } from '../figures.ts';

export async function engineSection(_settings: Settings): Promise<Row[]> {
  throw new Error('not written yet');
}

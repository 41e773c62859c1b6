/** Plays a transcript against an engine, and answers it as the engine would have written it. */
import { exampleSale } from '../../src/core/example.ts';
import type { Subject } from '../../src/inventory/conformance/subject.ts';
import { actOf } from './language/act-line.ts';
import { booksLinesOf, replyLineOf } from './language/reply-line.ts';
import { durationMs } from './language/words.ts';
import { type Part, setUpOf } from './transcript.ts';

export async function play(parts: readonly Part[], subject: Subject): Promise<Part[]> {
  const startMs = subject.nowMs();
  let saleNo: number | null = null;
  const answered: Part[] = [];
  for (const part of parts) {
    if (typeof part === 'string') {
      answered.push(part);
      continue;
    }
    const { commands } = part;
    if (saleNo !== null) {
      answered.push({ commands, expected: await playBlock(commands, { subject, saleNo, startMs }) });
      continue;
    }
    const setUp = setUpOf(commands, startMs);
    if (setUp === null) throw new Error('the first block must set up a sale');
    saleNo = await subject.createSale(exampleSale(setUp.settings, setUp.items));
    answered.push({ commands, expected: [`draft, ${setUp.items.length} items`] });
  }
  return answered;
}

interface Stage {
  readonly subject: Subject;
  readonly saleNo: number;
  readonly startMs: number;
}

const isPass = (line: string): boolean => line.startsWith('pass ');

async function playBlock(commands: readonly string[], { subject, saleNo, startMs }: Stage): Promise<string[]> {
  const waits = commands.filter(isPass);
  if (!commands.slice(0, waits.length).every(isPass)) throw new Error('time passes before the acts of a block');
  for (const line of waits) await subject.pass(durationMs(line.slice('pass '.length)));

  const lines: string[] = [];
  const acts = commands.filter((line) => !isPass(line) && line !== 'books').map((line) => actOf(line, startMs));
  if (acts.length > 0) lines.push(...(await subject.engine.act({ saleNo, acts })).verdicts.map(replyLineOf));
  if (commands.includes('books')) {
    const { items, orders } = await subject.books(saleNo);
    lines.push(...booksLinesOf(items, orders));
  }
  return lines.length === 0 ? ['ok'] : lines;
}

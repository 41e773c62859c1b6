/**
 * A transcript: a text file of blocks, each some lines of what is done, `----`, and the lines that it must answer.
 * Comments (`#`) and empty lines stand between blocks and are kept when the file is written again.
 *
 * The first block sets the sale up: `sale [limit=1|none] [hold=300s] ...` and a line an item, `item tee stock=10 [price=2500]`.
 * Acts in one block are one batch. `pass 300s` lets time pass first; `books` shows where the units are.
 */
import { exampleItem } from '../../src/core/example.ts';
import type { Item } from '../../src/core/item.ts';
import type { SaleSettings } from '../../src/core/sale.ts';
import type { EpochMs } from '../../src/core/scalars.ts';
import { durationMs, wordsOf } from './language/words.ts';

export interface Block {
  readonly commands: readonly string[];
  readonly expected: readonly string[];
}

/** Blocks, and the text between them as it stands. */
export type Part = Block | string;

const SEPARATOR = '----';

export function parseTranscript(text: string): Part[] {
  const parts: Part[] = [];
  for (const paragraph of text.split(/\n(?:\s*\n)+/)) {
    const lines = paragraph.split('\n').filter((line) => line.trim() !== '');
    const at = lines.indexOf(SEPARATOR);
    if (lines.every((line) => line.startsWith('#'))) parts.push(lines.join('\n'));
    else if (at < 1) throw new Error(`a block without ${SEPARATOR}: ${lines.join(' / ')}`);
    else {
      const comments = lines.filter((line) => line.startsWith('#'));
      if (comments.length > 0) parts.push(comments.join('\n'));
      const commands = lines.slice(0, at).filter((line) => !line.startsWith('#'));
      parts.push({ commands, expected: lines.slice(at + 1) });
    }
  }
  return parts.filter((part) => part !== '');
}

export function printTranscript(parts: readonly Part[]): string {
  const texts = parts.map((part, at) => {
    if (typeof part !== 'string') return `${[...part.commands, SEPARATOR, ...part.expected].join('\n')}\n\n`;
    // A remark stands with the block that it is about; the head of the file stands apart.
    return at === 0 ? `${part}\n\n` : `${part}\n`;
  });
  return `${texts.join('').trimEnd()}\n`;
}

export interface SetUp {
  readonly settings: Partial<SaleSettings>;
  readonly items: readonly Item[];
}

type Reader = (text: string, startMs: number) => Partial<SaleSettings>;
const SETTINGS: Readonly<Record<string, Reader>> = {
  limit: (text) => ({ limitPerBuyer: text === 'none' ? null : Number(text) }),
  hold: (text) => ({ holdSeconds: durationMs(text) / 1000 }),
  grace: (text) => ({ paymentGraceSeconds: durationMs(text) / 1000 }),
  deductAt: (text) => ({ deductAt: text === 'payment' ? 'payment' : 'order' }),
  overAdmit: (text) => ({ overAdmit: Number(text) }),
  late: (text) => ({ latePayment: text === 'retake' ? 'retake' : 'refund' }),
  opensAt: (text, startMs) => ({ opensAtMs: (startMs + durationMs(text)) as EpochMs }),
  endsAt: (text, startMs) => ({ endsAtMs: (startMs + durationMs(text)) as EpochMs }),
};

/** What the first block says, or null where it is none that sets up a sale. */
export function setUpOf(commands: readonly string[], startMs: number): SetUp | null {
  if (!commands[0]?.startsWith('sale')) return null;
  let settings: Partial<SaleSettings> = {};
  const items: Item[] = [];
  for (const line of commands) {
    const { plain, named } = wordsOf(line);
    if (plain[0] === 'item')
      items.push(
        exampleItem(plain[1] ?? 'tee', {
          stock: Number(named.get('stock')),
          priceMinor: Number(named.get('price') ?? 2500),
        }),
      );
    else
      for (const [name, text] of named) {
        const read = SETTINGS[name];
        if (read === undefined) throw new Error(`a sale has no setting ${name} here`);
        settings = { ...settings, ...read(text, startMs) };
      }
  }
  return { settings, items };
}

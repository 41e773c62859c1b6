/** A failure as a transcript, ready to be put among test/transcripts/cases once the rule is clear. */
import { EXAMPLE_SETTINGS, EXAMPLE_START_MS } from '../../src/core/example.ts';
import type { SaleSettings } from '../../src/core/sale.ts';
import { lineOf } from '../transcripts/language/act-line.ts';
import { replyLineOf } from '../transcripts/language/reply-line.ts';
import { durationOf } from '../transcripts/language/words.ts';
import { type Failure, replay, shrink } from './simulate.ts';
import type { SaleSetUp } from './workload.ts';

export function textOfFailure({ what, setUp, history }: Failure, startMs: number = EXAMPLE_START_MS): string {
  let atMs = startMs;
  const blocks = history.map((step) => {
    const pass = step.atMs > atMs ? [`pass ${durationOf(step.atMs - atMs)}`] : [];
    atMs = step.atMs;
    const replies = step.verdicts.length === 0 ? ['(thrown)'] : step.verdicts.map(replyLineOf);
    return [...pass, ...step.acts.map((act) => lineOf(act, startMs)), '----', ...replies].join('\n');
  });
  return [`# ${what}`, saleLines(setUp, startMs), ...blocks].join('\n\n');
}

/**
 * A failure on an engine: shrunk on the core, where the same batches show it there too; else, since an engine's faults
 * need its timing, the history as it was.
 */
export function textOfEngineFailure(failure: Failure & { readonly startMs: number }): string {
  const steps = failure.history.map(({ atMs, acts }) => ({ atMs, acts }));
  const onCore = replay(failure.setUp, steps);
  const where =
    onCore === null ? 'the core does not show it; the whole history' : 'the core shows it too; shrunk there';
  return `${failure.what}: ${where}\n\n${textOfFailure(onCore === null ? failure : shrink(onCore), failure.startMs)}`;
}

function saleLines({ settings, items }: SaleSetUp, startMs: number): string {
  const words = (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((name) =>
    settings[name] === EXAMPLE_SETTINGS[name] ? [] : [WORDS[name](settings, startMs)],
  );
  const lines = items.map(
    ({ sku, total, priceMinor }) => `item ${sku} stock=${total}${priceMinor === 2500 ? '' : ` price=${priceMinor}`}`,
  );
  return [['sale', ...words].join(' '), ...lines, '----', `draft, ${items.length} items`].join('\n');
}

const time = (at: number | null, startMs: number): string => (at === null ? 'never' : durationOf(at - startMs));

const WORDS = {
  limitPerBuyer: (settings: SaleSettings) => `limit=${settings.limitPerBuyer ?? 'none'}`,
  holdSeconds: (settings: SaleSettings) => `hold=${durationOf(settings.holdSeconds * 1000)}`,
  paymentGraceSeconds: (settings: SaleSettings) => `grace=${durationOf(settings.paymentGraceSeconds * 1000)}`,
  deductAt: (settings: SaleSettings) => `deductAt=${settings.deductAt}`,
  overAdmit: (settings: SaleSettings) => `overAdmit=${settings.overAdmit}`,
  latePayment: (settings: SaleSettings) => `late=${settings.latePayment}`,
  opensAtMs: (settings: SaleSettings, startMs: number) => `opensAt=${time(settings.opensAtMs, startMs)}`,
  endsAtMs: (settings: SaleSettings, startMs: number) => `endsAt=${time(settings.endsAtMs, startMs)}`,
};

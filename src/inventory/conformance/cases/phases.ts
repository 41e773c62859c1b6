/** I6: not early, not late, and never with another key than the one that the opening made. */
import { correctionOf, exampleItem, lifecycleOf, payOf, said } from '../../../core/example.ts';
import type { EpochMs } from '../../../core/scalars.ts';
import { onStage } from '../case.ts';
import { check, countsOf, same } from '../check.ts';

const soon = (nowMs: number, ms: number) => (nowMs + ms) as EpochMs;

export const PHASE_CASES = [
  onStage('phase: a draft is not there, a scheduled sale is not open', { phases: [] }, async (stage) => {
    same(await stage.said([stage.claim('amy')]), ['not_found'], 'draft');
    same(await stage.said([lifecycleOf('schedule'), stage.claim('amy')]), ['scheduled', 'not_open'], 'scheduled');
    same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
  }),
  onStage('phase: only the purchase key that the opening made buys', {}, async (stage) => {
    same(
      await stage.said(['', 'other', 'purchase-key'].map((purchaseKey) => stage.claim('amy', { purchaseKey }))),
      ['wrong_purchase_key', 'wrong_purchase_key', 'held'],
      'verdicts',
    );
    await stage.batch([lifecycleOf('pause', { purchaseKey: 'x' }), lifecycleOf('resume', { purchaseKey: 'y' })]);
    same(
      await stage.said([stage.claim('bob', { purchaseKey: 'y' }), stage.claim('bob')]),
      ['wrong_purchase_key', 'held'],
      'after pause and resume',
    );
  }),
  onStage('phase: opened by three servers, it opens once', { phases: ['schedule'] }, async (stage) => {
    const keys = ['a', 'b', 'c'];
    const verdicts = await stage.together(keys.map((purchaseKey) => lifecycleOf('open', { purchaseKey })));
    same(verdicts.map(said).sort(), ['open', 'open unchanged', 'open unchanged'], 'verdicts');
    const told = new Set(verdicts.map((verdict) => (verdict.outcome === 'sale' ? verdict.sale.purchaseKey : '')));
    same(told.size, 1, 'purchase keys that were told');
  }),
  onStage('phase: pause counts from the act after it, in the same batch; payments go on', {}, async (stage) => {
    const before = stage.claim('amy');
    same(
      await stage.said([
        before,
        lifecycleOf('pause'),
        stage.claim('bob'),
        payOf(before.orderId, { paymentId: 'p' }),
        lifecycleOf('resume'),
        stage.claim('cyd'),
      ]),
      ['held', 'paused', 'sale_paused', 'paid', 'open', 'held'],
      'verdicts',
    );
  }),
  onStage(
    'phase: once pause has been answered no server makes an order',
    { items: [exampleItem('tee', { stock: 500 })], needs: ['shared'] },
    async (stage) => {
      const claims = stage.claims(200);
      const flood = stage.together(claims, await stage.servers());
      same(said(await stage.act(lifecycleOf('pause'))), 'paused', 'the pause');
      const atThePause = (await stage.books()).orders.length;
      const counts = countsOf((await flood).map(said));
      same((await stage.books()).orders.length, atThePause, 'orders, some time after the pause');
      same(counts.held ?? 0, atThePause, 'orders that were told');
      same(await stage.said([stage.claim('late')]), ['sale_paused'], 'one more');
    },
  ),
  onStage('phase: end is final', {}, async (stage) => {
    const before = stage.claim('amy');
    same(
      await stage.said([before, lifecycleOf('end'), stage.claim('bob'), lifecycleOf('resume'), lifecycleOf('open')]),
      ['held', 'ended', 'sale_ended', 'wrong_state', 'wrong_state'],
      'verdicts',
    );
    same(await stage.said([payOf(before.orderId, { paymentId: 'p' })]), ['paid'], 'what was held may be paid');
  }),
  onStage('phase: endsAt ends it by the books’ own clock, whoever has noticed', { phases: [] }, async (stage) => {
    const { subject } = stage;
    // A sale that lasts 600 ms from here; its opening and its only order in one batch, since a machine may be slow.
    const endsAtMs = soon(subject.nowMs(), 600);
    same(
      await stage.said([lifecycleOf('open'), correctionOf({ endsAtMs }), stage.claim('amy')]),
      ['open', 'open', 'held'],
      'before its end',
    );
    await subject.pass(Math.max(0, endsAtMs - subject.nowMs()));
    same(await stage.said([stage.claim('bob')]), ['sale_ended'], 'at its end');
    const [verdict] = await stage.batch([lifecycleOf('end', { by: 'schedule' })]);
    check(verdict?.outcome === 'sale' && verdict.sale.phase === 'ended', 'the schedule writes it down');
  }),
];

/**
 * The purchase path, as an ordered list: what an order request passes on its way, and which folder decides there.
 * Read it from top to bottom to follow a purchase; each step may refuse, only the engine may grant, only the ledger
 * makes it true. Wired in `app`, driven by `http`.
 *
 *   POST /v1/sales/{saleId}/orders
 *     │
 *   gate      who is asking? a buyer token, verified by hand ─────────────► unauthenticated, forbidden
 *     │       (size, media type and body are judged by http) ─────────────► too_large, invalid
 *   sale      the sale in this process: settings, levels, latch ──────────► not_found, sold_out (latch)
 *     │
 *   order     a claim with an order id of its own ────────────────────────► not_eligible (a guest of another sale)
 *     │
 *   batcher ► engine ► ledger   one atomic step for all that waits ───────► busy, and every refusal of the core
 *     │
 *   hold      the unit is held; time ends it unless it is paid ───────────► expired
 *     │
 *   payment   the shop reports what its provider said, applied once ──────► paid, refund_due
 *
 *   schedule  opens and ends the sale by the ledger's clock, beside the path
 */
export const PURCHASE_PATH = ['gate', 'sale', 'order', 'hold', 'payment'] as const;

/**
 * What a schema cannot say about a sale's settings: whether a zone, currency, url, origin or colour is one, and
 * whether a rule of the gate is set. Each check hands back what is wrong, or null.
 */
import { parseTime } from '../../core/time.ts';

export type Check = string | null;

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const currencyFault = (code: string): Check =>
  currencies.has(code) ? null : 'must be an ISO 4217 currency, like EUR';

/** A name of the zone database. Offsets like +01:00 are refused: they know no summer time. */
export function timeZoneFault(zone: string): Check {
  const fault = 'must be a time zone of the IANA database, like Europe/Berlin';
  if (!/^[A-Za-z]/.test(zone)) return fault;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return null;
  } catch {
    return fault;
  }
}

export const timeFault = (text: string | null): Check =>
  text === null || parseTime(text) !== null ? null : 'must be an RFC 3339 time, like 2026-10-01T10:00:00Z';

export const urlFault = (text: string | null): Check =>
  text === null || isWebUrl(text) ? null : 'must be an http or https url';

function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === ''
  );
}

/** Exactly as a browser sends it: scheme, host, port if it is not the scheme's own; no path, no wildcard. */
export const originFault = (text: string): Check =>
  isWebUrl(text) && new URL(text).origin === text
    ? null
    : 'must be an origin as a browser sends it, like https://shop.example';

export const colorFault = (text: string | null): Check =>
  text === null || /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text) ? null : 'must be a colour like #a30 or #aa3300';

/** How many decimals `overAdmit` may have: the core computes with millionths. */
export const overAdmitFault = (value: number): Check =>
  Number.isInteger(Math.round(value * 1e9) / 1e3) ? null : 'must have at most 6 decimals';

const isOff = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isOff));

const GATE_RULES = [
  'rateLimits',
  'sameAnswerSeconds',
  'eligibility',
  'blockList',
  'allowList',
  'challenge',
  'risk',
  'cutOff',
];

/** A rule that this version does not enforce must not be set: ignoring it would let in whom it keeps out. */
export function gateFault(gate: Readonly<Record<string, unknown>> | null | undefined): Check {
  if (gate === null || gate === undefined) return null;
  if (Object.keys(gate).some((name) => !GATE_RULES.includes(name))) return 'has a rule that is not known';
  // An empty allow list would let nobody in: that is a rule that is set.
  if (Array.isArray(gate.allowList)) return 'allowList is not enforced by this version';
  return isOff(gate) ? null : 'its rules are not enforced by this version; leave them out or null';
}

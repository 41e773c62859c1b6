/**
 * What the main thread and the ledger's two worker threads say to each other: calls by name, answers by number.
 * Errors cross as data, since a thrown OperatingError would lose its fields on the way.
 */
import { type Effect, OperatingError, SettingError } from '../../../kit/errors.ts';

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface SentError {
  readonly kind: 'operating' | 'setting' | 'range' | 'fatal';
  readonly message: string;
  readonly code?: OperatingError['code'];
  readonly effect?: Effect;
}

export type FromWorker =
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: SentError }
  /** The worker is up (id 0), or could not start. */
  | { readonly type: 'ready'; readonly value: unknown }
  | { readonly type: 'refused'; readonly error: SentError }
  /** An act that would have broken the books was refused. */
  | { readonly type: 'broken'; readonly message: string; readonly actKind: string }
  /** Nobody can say what the disk holds: the process must stop. */
  | { readonly type: 'fatal'; readonly message: string };

export function sendable(error: unknown): SentError {
  if (error instanceof OperatingError)
    return { kind: 'operating', message: error.message, code: error.code, effect: error.effect };
  if (error instanceof SettingError) return { kind: 'setting', message: error.message };
  if (error instanceof RangeError) return { kind: 'range', message: error.message };
  return { kind: 'fatal', message: error instanceof Error ? error.message : String(error) };
}

export function received(error: SentError): Error {
  switch (error.kind) {
    case 'operating':
      return new OperatingError(error.code ?? 'internal', error.message, { effect: error.effect ?? 'unknown' });
    case 'setting':
      return new SettingError(error.message);
    case 'range':
      return new RangeError(error.message);
    case 'fatal':
      return new OperatingError('unavailable', error.message, { effect: 'unknown' });
  }
}

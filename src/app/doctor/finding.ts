/** What a check of the doctor comes to. */

/** `bad` would keep the installation from selling or from keeping its promises; `doubtful` should be looked at. */
export type State = 'good' | 'doubtful' | 'bad' | 'skipped';

export interface Result {
  readonly state: State;
  /** One line: what was found. */
  readonly says: string;
  /** What to do about it; null where nothing need be done. */
  readonly todo: string | null;
}

export const good = (says: string): Result => ({ state: 'good', says, todo: null });
export const doubtful = (says: string, todo: string): Result => ({ state: 'doubtful', says, todo });
export const bad = (says: string, todo: string): Result => ({ state: 'bad', says, todo });
export const skipped = (says: string): Result => ({ state: 'skipped', says, todo: null });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

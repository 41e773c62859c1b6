/** What a check of the doctor comes to. */

/** `bad` would keep the installation from selling or from keeping its promises; `doubtful` should be looked at. */
export type State = 'good' | 'doubtful' | 'bad' | 'skipped';

export interface Result {
  readonly state: State;
  /** One line: what was found and, where it is not good, what to do. */
  readonly says: string;
}

export const good = (says: string): Result => ({ state: 'good', says });
export const doubtful = (says: string): Result => ({ state: 'doubtful', says });
export const bad = (says: string): Result => ({ state: 'bad', says });
export const skipped = (says: string): Result => ({ state: 'skipped', says });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

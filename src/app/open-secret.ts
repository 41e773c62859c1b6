/** What is said of a secret's file that others may read, by whoever notices: `serve` at its start, `doctor` when asked. */

export const OPEN_SECRET = 'others on this machine may read this secret';
export const OPEN_SECRET_TODO = 'chmod 600 it, then rotate it (doorbuster keys rotate): it may have been read';

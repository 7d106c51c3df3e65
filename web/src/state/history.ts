// Undo and redo: immutable, the documents share their edits.

export interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
}

export const started = <T>(now: T): History<T> => ({ past: [], now, future: [] });

export const pushed = <T>({ past, now }: History<T>, next: T): History<T> => ({
  past: [...past, now],
  now: next,
  future: [],
});

/** Exchange what is shown without a step of its own, as for a note at an edit. */
export const amended = <T>(history: History<T>, now: T): History<T> => ({ ...history, now });

export function undone<T>(history: History<T>): History<T> {
  const { past, now, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), now: past[past.length - 1], future: [now, ...future] };
}

export function redone<T>(history: History<T>): History<T> {
  const { past, now, future } = history;
  if (future.length === 0) return history;
  return { past: [...past, now], now: future[0], future: future.slice(1) };
}

/** All documents of a history in their order, and where in it what is shown stands. */
export function line<T>({ past, now, future }: History<T>): { all: T[]; at: number } {
  return { all: [...past, now, ...future], at: past.length };
}

/** Move what is shown to a place in the line; nothing is lost. */
export function visited<T>(history: History<T>, place: number): History<T> {
  const { all, at } = line(history);
  if (place === at || place < 0 || place >= all.length) return history;
  return { past: all.slice(0, place), now: all[place], future: all.slice(place + 1) };
}

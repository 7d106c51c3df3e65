// What the browser remembers; in a sandboxed frame it remembers nothing, which is no failure.

type Kind = "localStorage" | "sessionStorage";

export function recall(kind: Kind, key: string): string | null {
  try {
    return window[kind].getItem(key);
  } catch {
    return null;
  }
}

export function remember(kind: Kind, key: string, value: string | null): void {
  try {
    if (value === null) window[kind].removeItem(key);
    else window[kind].setItem(key, value);
  } catch {
    // Not allowed, or full: the page works without.
  }
}

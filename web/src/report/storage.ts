// Memory in place of the browser's storage, which a sandboxed frame is refused.

class Memory implements Storage {
  private readonly kept = new Map<string, string>();
  [name: string]: unknown;

  get length(): number {
    return this.kept.size;
  }
  clear(): void {
    this.kept.clear();
  }
  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }
  key(index: number): string | null {
    return [...this.kept.keys()][index] ?? null;
  }
  removeItem(key: string): void {
    this.kept.delete(key);
  }
  setItem(key: string, value: string): void {
    this.kept.set(key, value);
  }
}

for (const name of ["localStorage", "sessionStorage"] as const) {
  try {
    window[name].getItem("");
  } catch {
    Object.defineProperty(window, name, { value: new Memory(), configurable: true });
  }
}

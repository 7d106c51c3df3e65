// The views of the dock: each registers itself, the dock shows one or two of them.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

export interface DockView {
  /** Short and stable: it stands in the address. */
  key: string;
  title: string;
  component: ComponentType;
  /** Whether the view has something to show for the open document; tabs without are hidden. */
  available?: () => boolean;
}

const ORDER = ["table", "regions", "rules", "pruning", "quality", "whatif", "compare", "history"];

export const dockViews = signal<readonly DockView[]>([]);

export function registerDock(view: DockView): void {
  const others = dockViews.value.filter(({ key }) => key !== view.key);
  dockViews.value = [...others, view].sort((a, b) => place(a.key) - place(b.key));
}

const place = (key: string) => (ORDER.indexOf(key) + ORDER.length + 1) % (ORDER.length + 1);

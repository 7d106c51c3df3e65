// The views of the dock: each registers itself, the dock shows one or two of them.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { canAsk, type Name } from "../link/transport";

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

/** The views of which something can be shown: all in the studio, those with data in a report. */
export const openViews = (): DockView[] =>
  dockViews.value.filter(
    ({ key, available }) =>
      (available?.() ?? true) && (NEEDS[key] === undefined || canAsk(NEEDS[key])),
  );

/** What a view asks, without which it is empty. */
const NEEDS: Record<string, Name> = {
  table: "cells",
  regions: "regions",
  rules: "rules",
  pruning: "pruning",
  quality: "quality",
  whatif: "explain",
  compare: "compare",
  history: "open",
};

export function registerDock(view: DockView): void {
  const others = dockViews.value.filter(({ key }) => key !== view.key);
  dockViews.value = [...others, view].sort((a, b) => place(a.key) - place(b.key));
}

const place = (key: string) => (ORDER.indexOf(key) + ORDER.length + 1) % (ORDER.length + 1);

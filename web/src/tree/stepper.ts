// The steps of a teacher, one after the other: which nodes show their split so far.
import { computed, effect } from "@preact/signals";
import type { Stage } from "../../messages";
import { ask } from "../link/transport";
import { pathKey } from "../state/document";
import { presenting, select, selected, step, treeDocument } from "../state/store";

const asked = computed(() =>
  presenting.value && treeDocument.value !== null
    ? ask("steps", { document: treeDocument.value }).value
    : null,
);

export const steps = computed<Stage[]>(() =>
  asked.value?.state === "value" ? asked.value.value.steps : [],
);

/** The nodes whose last step was reached: their split is chosen. */
export const revealed = computed<ReadonlySet<string> | null>(() => {
  if (step.value === null || steps.value.length === 0) return null;
  const last = new Map(steps.value.map(({ at }, i) => [pathKey(at), i]));
  const now = step.value;
  return new Set([...last].filter(([, i]) => i <= now).map(([key]) => key));
});

interface Place {
  position: number;
  last: boolean;
  split: string | null;
}

/** The position of a step among those of its node (question, candidates, choice), and its split. */
export const within = computed<Place | null>(() => {
  const now = step.value;
  if (now === null || steps.value[now] === undefined) return null;
  const key = pathKey(steps.value[now].at);
  const all = steps.value.flatMap(({ at }, i) => (pathKey(at) === key ? [i] : []));
  const position = all.indexOf(now);
  return { position, last: position === all.length - 1, split: steps.value[now].split };
});

// An edit while presenting leads on to the question at the node that it selects.
let shown: Stage[] = [];
effect(() => {
  const before = shown;
  if (steps.value.length === 0 || steps.value === before) return;
  shown = steps.value;
  const next = shown.findIndex(({ at }) => pathKey(at) === pathKey(selected.peek()));
  if (before.length > 0 && step.peek() !== null && next >= 0) step.value = next;
});

/** Go to a step; before the first one the whole tree is shown. */
export function goTo(position: number): void {
  const n = steps.value.length;
  if (n === 0) return;
  step.value = position < 0 ? null : Math.min(position, n - 1);
  if (step.value !== null) select(steps.value[step.value].at);
}

export const forward = (): void => goTo(step.value === null ? 0 : step.value + 1);
export const back = (): void => goTo(step.value === null ? -1 : step.value - 1);

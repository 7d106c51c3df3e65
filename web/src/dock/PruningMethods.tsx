// The methods by which trees are pruned, and the one that is chosen.
import { computed, effect, signal } from "@preact/signals";
import { learner, live, table } from "../state/store";
import { words } from "../words";
import { Segments } from "./Segments";

export type Sliding = "cost_complexity" | "depth" | "min_samples_split" | "confidence";
export type Method = Sliding | "reduced_error";
const METHODS: Method[] = [
  "cost_complexity",
  "depth",
  "min_samples_split",
  "confidence",
  "reduced_error",
];

/** The methods that the learner's trees can be pruned by. */
export const methods = computed(() => {
  const known = learner.value?.pruning ?? [];
  return METHODS.filter((key) => key !== "confidence" || known.includes("error_based"));
});

export const method = signal<Method>("cost_complexity");
effect(() => {
  void table.value?.key;
  method.value = "cost_complexity";
});

export function Methods() {
  return (
    <Segments
      label={words.dock.pruning.method}
      keys={methods.value.filter((key) => live.value || key === "cost_complexity")}
      names={words.dock.pruning}
      now={method.value}
      onChoose={(key) => {
        method.value = key;
      }}
    />
  );
}

// Which learner a table begins with.
import type { LearnerFacts, Settings, TableFacts } from "../../messages";
import { document, hello } from "../state/store";

type Task = TableFacts["task"];

export const learnersFor = (task: Task): LearnerFacts[] =>
  (hello.value?.learners ?? []).filter((learner) => learner.task === task);

/** The current learner if it fits the target, otherwise the first of single trees. */
export function settingsFor(task: Task): Settings {
  const fit = learnersFor(task);
  const now = document.peek()?.settings;
  const current = fit.find(({ short }) => short === now?.learner);
  if (current !== undefined && now !== undefined) return now;
  const first = fit.find(({ single }) => single) ?? fit[0];
  return { learner: first?.short ?? "id3", parameters: {} };
}

// Which learner a table begins with.
import type { LearnerFacts, Settings, TableFacts } from "../../messages";
import { document, hello } from "../state/store";
import { words } from "../words";

type Task = TableFacts["task"];

export const learnersFor = (task: Task): LearnerFacts[] =>
  (hello.value?.learners ?? []).filter((learner) => learner.task === task);

/** Tables up to this size are worked through by hand, as the ones in textbooks are. */
const TEXTBOOK = 30;

/**
 * Where a table begins: a small one without missing values with ID3, which can be computed by
 * hand, a larger one with CART, or with C4.5 where columns have missing values and the target is
 * a class.
 */
export function firstFor(facts: TableFacts): { short: string; why: string } {
  const { task, columns, drop, n_rows, target } = facts;
  const used = columns.filter(({ name }) => name !== target && !drop.includes(name));
  const incomplete = used.filter(({ n_missing }) => n_missing > 0).length;
  const [wanted, why] =
    task === "regression"
      ? ["cart", ""]
      : n_rows <= TEXTBOOK && incomplete === 0
        ? ["id3", words.whySmall]
        : incomplete > 0
          ? ["c45", words.whyMissing(incomplete)]
          : ["cart", words.whyLarge];
  const fit = learnersFor(task);
  const found = fit.find(({ short }) => short === wanted);
  if (found !== undefined) return { short: found.short, why };
  return { short: settingsFor(task).learner ?? "cart", why: "" };
}

/** Whether a table is small enough to choose every split of its tree. */
export const isTextbook = ({ n_rows }: TableFacts): boolean => n_rows <= TEXTBOOK;

/** The current learner if it fits the target, otherwise the first of single trees. */
export function settingsFor(task: Task): Settings {
  const fit = learnersFor(task);
  const now = document.peek()?.settings;
  const current = fit.find(({ short }) => short === now?.learner);
  if (current !== undefined && now !== undefined) return now;
  const first = fit.find(({ single }) => single) ?? fit[0];
  return { learner: first?.short ?? "id3", parameters: {} };
}

// While presenting: one step after the other, and the way out.
import type { Stage } from "../../messages";
import { score } from "../numbers";
import { condition } from "../parts/condition";
import { middle } from "../parts/Name";
import { digits, step, tree } from "../state/store";
import { present } from "../tree/keys";
import { back, forward, steps } from "../tree/stepper";
import { words } from "../words";

const PLACE = 120;

/** Where a step is, and the split that it is about. */
function titleOf({ at, split, column }: Stage): string {
  const node = tree.value?.nodeAt(at) ?? -1;
  const place = node < 0 ? "" : words.atNode(tree.value?.conditions(node) ?? []);
  const shown = middle(place, PLACE);
  return split === null ? shown : `${shown}: ${condition(split, column ?? "")}`;
}

/** What a step says; its number is written as in the inspector. */
function textOf({ score_name, score: given, text }: Stage): string {
  if (score_name === null) return text;
  const written = given === null ? words.undefinedScore : score(given, digits.value);
  return `${words.scoreIs(score_name, written)} ${text}`.trim();
}

export function Stepper() {
  const all = steps.value;
  const at = step.value;
  const now = at === null ? null : all[at];
  return (
    <div class="stepper" role="group" aria-label={words.present}>
      {all.length > 0 && (
        <button
          type="button"
          class="icon"
          disabled={at === null}
          aria-label={words.stepBefore}
          onClick={back}
        >
          ‹
        </button>
      )}
      {now !== null && now !== undefined && at !== null ? (
        <div class="step-text" aria-live="polite">
          <em>{words.stepOf(at + 1, all.length)}</em>
          <b>{titleOf(now)}</b>
          <p>{textOf(now)}</p>
        </div>
      ) : (
        all.length > 0 && (
          <button type="button" class="link" onClick={forward}>
            {words.stepStart}
          </button>
        )
      )}
      {all.length > 0 && (
        <button
          type="button"
          class="icon"
          disabled={at === all.length - 1}
          aria-label={words.stepNext}
          onClick={forward}
        >
          ›
        </button>
      )}
      <button type="button" class="link" onClick={() => present(false)}>
        {words.presentEnd}
        <kbd aria-hidden="true">Esc</kbd>
      </button>
    </div>
  );
}

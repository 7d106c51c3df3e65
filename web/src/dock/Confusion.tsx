// The confusion matrix, whose cells open their rows, and the decision threshold of two classes.
import { signal } from "@preact/signals";
import type { Quality as QualityAnswer } from "../../messages";
import { count, percent, weight } from "../numbers";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { live } from "../state/store";
import { words } from "../words";
import { listRows } from "./listed";

/** From which probability on the second class is predicted; null predicts the majority. */
export const threshold = signal<number | null>(null);

export function Confusion({ answer }: { answer: QualityAnswer }) {
  const { classes, confusion, confusion_rows } = answer;
  const most = Math.max(1, ...confusion.flat());
  return (
    <section>
      <h3>{words.dock.quality.confusion}</h3>
      <div class="confusion-scroll">
        <table class="confusion">
          <thead>
            <tr>
              <td />
              <th colSpan={classes.length} scope="colgroup" class="confusion-title">
                {words.dock.quality.predicted}
              </th>
            </tr>
            <tr>
              <th scope="col" class="confusion-title">
                {words.dock.quality.actual}
              </th>
              {classes.map((label, code) => (
                <th key={code} scope="col">
                  <Marker of={code} />
                  <Name text={label} most={14} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {confusion.map((line, actual) => (
              <tr key={actual}>
                <th scope="row">
                  <Marker of={actual} />
                  <Name text={classes[actual]} most={14} />
                </th>
                {line.map((n, predicted) => (
                  <td
                    key={predicted}
                    class={actual === predicted ? "right" : n > 0 ? "wrong" : ""}
                    style={{ "--part": `${Math.round((60 * n) / most)}%` }}
                  >
                    <ConfusionCell
                      n={n}
                      rows={confusion_rows[actual]?.[predicted] ?? []}
                      title={words.dock.quality.cell(
                        weight(n),
                        visible(classes[actual]),
                        visible(classes[predicted]),
                      )}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {live.value && classes.length === 2 && answer.curves.length > 0 && (
        <Threshold label={classes[1]} />
      )}
    </section>
  );
}

function ConfusionCell({ n, rows, title }: { n: number; rows: number[]; title: string }) {
  if (rows.length === 0) return <span>{weight(n)}</span>;
  return (
    <button
      type="button"
      class="fig"
      title={title}
      aria-label={title}
      onClick={() =>
        listRows(
          "quality",
          rows.length < n ? `${title}, ${words.dock.first(count(rows.length))}` : title,
          rows,
        )
      }
    >
      {weight(n)}
    </button>
  );
}

/** From which probability on the second class is predicted. */
function Threshold({ label }: { label: string }) {
  const now = threshold.value;
  return (
    <div class="threshold">
      <label>
        {words.dock.quality.thresholdOf(middle(visible(label), 16))}
        <input
          type="range"
          class="prune-range"
          min="0"
          max="1"
          step="0.01"
          value={now ?? 0.5}
          onChange={(event) => {
            threshold.value = event.currentTarget.valueAsNumber;
          }}
        />
      </label>
      <output>{now === null ? words.dock.quality.usual : percent(now, 1)}</output>
      {now !== null && (
        <button
          type="button"
          class="link"
          onClick={() => {
            threshold.value = null;
          }}
        >
          {words.dock.quality.reset}
        </button>
      )}
    </div>
  );
}

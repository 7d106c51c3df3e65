// A branch of a split that is looked at, not taken.
import type { BranchFacts } from "../../messages";
import { value } from "../numbers";
import { Bar, Counts, Strip } from "../parts/Bar";
import { condition } from "../parts/condition";
import { colourOf, Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { words } from "../words";
import { scale } from "./Card";

interface Properties {
  branch: BranchFacts;
  classes: readonly string[];
  x: number;
  y: number;
}

export function GhostCard({ branch, classes, x, y }: Properties) {
  const numbers = branch.label < 0;
  return (
    <>
      <span class="pill ghost" style={{ left: `${x}px`, top: `${y - 31}px` }} aria-hidden="true">
        <bdi dir="auto">{middle(visible(condition(branch.text)), 22)}</bdi>
      </span>
      <div
        class="card leaf ghost"
        aria-hidden="true"
        style={{ left: `${x - 78}px`, top: `${y}px`, "--c": colourOf(numbers ? 0 : branch.label) }}
      >
        <div class="top">
          <b>
            {numbers ? (
              value(branch.prediction, 5)
            ) : (
              <>
                <Marker of={branch.label} class="big" />
                <Name text={classes[branch.label] ?? ""} most={17} />
              </>
            )}
          </b>
        </div>
        <div class="mid">
          <span>{words.rows(branch.n_rows)}</span>
          {!numbers && <Counts weights={branch.class_weights} classes={classes} most={2} />}
        </div>
        {numbers ? (
          <Strip mean={branch.prediction ?? 0} deviation={branch.deviation ?? 0} {...scale.value} />
        ) : (
          <Bar weights={branch.class_weights} />
        )}
      </div>
    </>
  );
}

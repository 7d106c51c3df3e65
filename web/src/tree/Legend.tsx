// The classes with their colours and shapes, or the scale of predicted numbers.
import { value } from "../numbers";
import { Marker } from "../parts/Marker";
import { Name } from "../parts/Name";
import { words } from "../words";
import { scale } from "./Card";
import type { TreeModel } from "./model";

const MOST = 12;

export function Legend({ model }: { model: TreeModel }) {
  const { classes } = model.columns;
  if (classes.length === 0) {
    return (
      <div class="legend">
        {words.predictionScale(value(scale.value.from, 3), value(scale.value.to, 3))}
      </div>
    );
  }
  return (
    <div class="legend" role="img" aria-label={words.legend(classes.slice(0, MOST).join(", "))}>
      {classes.slice(0, MOST).map((name, i) => (
        <span key={i}>
          <Marker of={i} />
          <Name text={name} most={18} />
        </span>
      ))}
      {classes.length > MOST && <span>{words.more(classes.length - MOST)}</span>}
    </div>
  );
}

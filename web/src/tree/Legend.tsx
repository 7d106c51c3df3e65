// The classes with their colours and shapes, or the scale of predicted numbers.
import { value } from "../numbers";
import { Marker } from "../parts/Marker";
import { Name } from "../parts/Name";
import { words } from "../words";
import { scale } from "./Card";
import { NARROW } from "./cull";
import type { TreeModel } from "./model";
import { view } from "./view";

/** So many classes have a colour of their own; fewer have room on phones. */
const [MOST, MOST_NARROW] = [8, 4];

export function Legend({ model }: { model: TreeModel }) {
  const { classes } = model.columns;
  const narrow = view.value.width < NARROW;
  const most = narrow ? MOST_NARROW : MOST;
  if (classes.length === 0) {
    return (
      <div class="legend">
        {words.predictionScale(value(scale.value.from, 3), value(scale.value.to, 3))}
      </div>
    );
  }
  return (
    <div class="legend" role="img" aria-label={words.legend(classes.slice(0, most).join(", "))}>
      {classes.slice(0, most).map((name, i) => (
        <span key={i}>
          <Marker of={i} />
          <Name text={name} most={narrow ? 12 : 18} />
        </span>
      ))}
      {classes.length > most && <span>{words.more(classes.length - most)}</span>}
    </div>
  );
}

// Zoom, fit, node numbers, what the cards show, and how much of a large tree is unfolded.
import { percent } from "../numbers";
import { Item, Menu } from "../parts/Menu";
import { folded, nodeNumbers, shown, tree, unfolded, unfolding } from "../state/store";
import { words } from "../words";
import { showable, shownOf } from "./CardLine";
import { fitAll, zoomBy, zoomTo } from "./camera";
import { MOST_FITTED, type Unfolding } from "./layout";
import { view } from "./view";

/** Trees up to this size are shown whole. */
const SMALL = 25;

export function Tools() {
  const model = tree.value;
  const large = model !== null && (model.size > SMALL || unfolding.value.by !== "fit");
  return (
    <div class="tools floating" role="toolbar" aria-label={words.tools}>
      <button
        type="button"
        class="icon"
        aria-label={words.zoomOut}
        onClick={() => zoomBy(1 / 1.25)}
      >
        −
      </button>
      <button type="button" class="zoom" title={words.zoomOne} onClick={() => zoomTo(1)}>
        {percent(view.value.k, 1)}
      </button>
      <button type="button" class="icon" aria-label={words.zoomIn} onClick={() => zoomBy(1.25)}>
        +
      </button>
      <i class="vr" />
      <button type="button" class="tool" onClick={() => fitAll()}>
        {words.fit} <kbd aria-hidden="true">F</kbd>
      </button>
      <button
        type="button"
        class="tool optional"
        aria-pressed={nodeNumbers.value}
        onClick={() => {
          nodeNumbers.value = !nodeNumbers.value;
        }}
      >
        {words.nodeNumbers} <kbd aria-hidden="true">N</kbd>
      </button>
      <ShownMenu />
      {large && <UnfoldMenu />}
    </div>
  );
}

function ShownMenu() {
  const columns = tree.value?.columns;
  if (columns === undefined) return null;
  const [choices, now] = [showable(columns), shownOf(columns)];
  const name = choices.find(([key]) => key === now)?.[1] ?? "";
  return (
    <Menu label={words.show(name)} class="tool-menu optional" up>
      {(close) =>
        choices.map(([key, name]) => (
          <Item
            key={key}
            checked={key === now}
            onSelect={() => {
              shown.value = key;
              close();
            }}
          >
            <b>{name}</b>
          </Item>
        ))
      }
    </Menu>
  );
}

const CHOICES: Unfolding[] = [
  { by: "fit" },
  { by: "support", nodes: MOST_FITTED },
  { by: "depth", depth: 3 },
  { by: "depth", depth: 6 },
  { by: "share", share: 0.01 },
  { by: "all" },
];

function UnfoldMenu() {
  const name = (choice: Unfolding): string => {
    if (choice.by === "fit") return words.unfold.fit;
    if (choice.by === "support") return words.unfold.support(choice.nodes);
    if (choice.by === "depth") return words.unfold.depth(choice.depth);
    return choice.by === "share" ? words.unfold.share : words.unfold.all;
  };
  const choose = (choice: Unfolding) => {
    folded.value = new Set();
    unfolded.value = new Set();
    unfolding.value = choice;
    fitAll({ whole: false });
  };
  return (
    <Menu label={name(unfolding.value)} name={words.unfold.title} class="tool-menu" up>
      {(close) =>
        CHOICES.map((choice) => (
          <Item
            key={name(choice)}
            checked={name(choice) === name(unfolding.value)}
            onSelect={() => {
              choose(choice);
              close();
            }}
          >
            <b>{name(choice)}</b>
          </Item>
        ))
      }
    </Menu>
  );
}

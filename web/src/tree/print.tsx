// Printing: the trees fitted to the width of the paper, in light colours, below a heading.
import { options } from "preact";
import { count, value } from "../numbers";
import { Name } from "../parts/Name";
import { digits, learner, printing, document as shownDocument, table } from "../state/store";
import { words } from "../words";
import { extent, fitAll } from "./camera";
import { BESIDE_TREE } from "./cull";
import type { TreeModel } from "./model";
import { aim, follows, put, view } from "./view";

/** In pixels: what A4 and Letter have between usual margins, and as much of their height. */
const PAPER = { width: 720, height: 800 };

/** Keep what is printed apart from what is on the screen; gives a function that stops it. */
export function keepPrintable(): () => void {
  const stop = new AbortController();
  let restore = () => {};
  const before = () => {
    restore = onPaper();
  };
  window.addEventListener("beforeprint", before, stop);
  window.addEventListener("afterprint", () => restore(), stop);
  return () => stop.abort();
}

function onPaper(): () => void {
  if (printing.peek()) return () => {};
  const [box, followed, debounce] = [aim(), follows.peek(), options.debounceRendering];
  // What is printed is what is there when this ends.
  options.debounceRendering = (render) => render();
  printing.value = true;
  view.value = { ...view.peek(), ...PAPER };
  fitAll({ atOnce: true });
  const height = Math.min(PAPER.height, heightAt(view.peek().k));
  view.value = { ...view.peek(), height };
  fitAll({ atOnce: true });
  document.documentElement.style.setProperty("--print-height", `${height}px`);
  return () => {
    options.debounceRendering = debounce;
    printing.value = false;
    follows.value = followed;
    put(box);
  };
}

/** No more of the paper than the tree needs. */
const heightAt = (k: number): number => Math.ceil((extent()?.bottom ?? 0) * k + BESIDE_TREE);

/** What is printed: table, target, learner, size and errors of the tree. */
export function PrintHead({ model }: { model: TreeModel }) {
  const { n_nodes, n_leaves, n_open, depth, measure, training, n_rows } = model.columns.facts;
  const errors = Number.isInteger(training) && model.columns.classes.length > 0;
  return (
    <header class="print-head" aria-hidden="true">
      <h1>
        <Name text={words.treeFor(shownDocument.value?.table.target ?? "")} most={80} />
      </h1>
      <p>
        {[
          table.value?.name ?? "",
          words.tableSize(n_rows, model.columns.features.length),
          learner.value?.title ?? "",
          words.treeSize(n_nodes, n_leaves, n_open, depth),
          errors
            ? words.measuredOf(measure, count(training ?? 0), count(n_rows))
            : words.measured(measure, value(training, digits.value)),
        ].join(" · ")}
      </p>
    </header>
  );
}

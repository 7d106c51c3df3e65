// The stage: the tree of the document, beside it one that it is compared with, and the tools.
import { untracked, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Settings } from "../../messages";
import { count } from "../numbers";
import { Tour } from "../parts/Tour";
import { Waiting } from "../parts/Working";
import { pathKey } from "../state/document";
import {
  compared,
  learner,
  presenting,
  printing,
  selected,
  document as shownDocument,
  stopTree,
  tree,
  treeAsked,
  treeDocument,
} from "../state/store";
import { words } from "../words";
import { bring, fitAll, itemOf, show } from "./camera";
import { Find } from "./Find";
import { Legend } from "./Legend";
import type { Laid } from "./layout";
import { MiniMap } from "./MiniMap";
import type { TreeModel } from "./model";
import { other } from "./other";
import { Picture } from "./Picture";
import { keepPrintable, PrintHead } from "./print";
import { own } from "./scene";
import { Tools } from "./Tools";
import { follows, view } from "./view";

const MAP_FROM = 60;

export function Stage() {
  const model = tree.value;
  const beside = compared.value;
  useFollow();
  useShown();
  useEffect(keepPrintable, []);
  return (
    <main
      class={`stage ${beside === null ? "" : "two"}`}
      aria-label={words.stage}
      data-region="stage"
      tabIndex={-1}
    >
      {model !== null && <PrintHead model={model} />}
      <Picture
        scene={own}
        label={words.treeFor(shownDocument.value?.table.target ?? "")}
        onBox={measured}
      >
        {beside !== null && model !== null && (
          <Caption title={words.dock.compare.here} model={model} />
        )}
      </Picture>
      {beside !== null && (
        <Picture scene={other} label={beside.title}>
          <Caption title={beside.title} model={beside.there} />
        </Picture>
      )}
      {model !== null && (
        <>
          <Find />
          <Legend model={model} />
          <Tools />
          {beside === null && (own.laid.value?.items.length ?? 0) > MAP_FROM && <MiniMap />}
        </>
      )}
      <div class="stage-work">
        <Waiting asked={treeAsked.value} onStop={stopTree} />
        {model !== null && !model.columns.facts.editable && (
          <p class="note">{model.columns.facts.reason || learner.value?.summary}</p>
        )}
      </div>
      <Tour />
    </main>
  );
}

/** Which of two trees it is, and how large. */
function Caption({ title, model }: { title: string; model: TreeModel }) {
  const { n_nodes, n_leaves, depth } = model.columns.facts;
  return (
    <p class="caption-of">
      <b>{title}</b> {words.dock.compare.facts(words.nodes(n_nodes), count(n_leaves), count(depth))}
    </p>
  );
}

/** The view is as large as the box of the first picture; all pictures are equally large. */
function measured(box: HTMLElement): () => void {
  const measure = () => {
    if (printing.peek()) return;
    view.value = { ...view.peek(), width: box.clientWidth, height: box.clientHeight };
    if (follows.peek()) fitAll({ whole: false, atOnce: true });
  };
  const observer = new ResizeObserver(measure);
  observer.observe(box);
  // Now, and when the page has been printed.
  const stop = printing.subscribe(measure);
  return () => {
    stop();
    observer.disconnect();
  };
}

/** After a change of the tree: all in view, or the same node at the same place. */
function useFollow() {
  const before = useRef<Laid | null>(null);
  const settings = useRef<Settings | undefined>(undefined);
  const divided = useRef(false);
  useSignalEffect(() => {
    const now = own.laid.value;
    // So do the branches of a split that a class is shown.
    if (presenting.value) void own.ghost.value;
    const former = before.current;
    before.current = now;
    if (now === null) return;
    // Other settings grow another tree, of which the former view may show nothing.
    const grown = treeDocument.peek()?.settings;
    const changed = grown !== settings.current;
    settings.current = grown;
    // A tree that comes beside it, or goes, divides the stage or joins it again.
    const joined = divided.current !== (other.laid.value !== null);
    divided.current = other.laid.peek() !== null;
    const fits = former === null || changed || joined || follows.peek();
    if (fits) fitAll({ whole: false, atOnce: former === null });
    if (now === former) return;
    // A tree that was just opened takes the keyboard.
    if (former === null && document.activeElement === document.body) own.wantsFocus.value = true;
    // An edit may go on at a node that is out of view.
    const item = itemOf(selected.peek());
    if (former !== null && item !== null) bring(item);
  });
  // The first difference is in view, whatever was before.
  useSignalEffect(() => {
    const at = compared.value?.at;
    if (at !== null && at !== undefined) untracked(() => show(at));
  });
}

/** A rule, a row or a tie leads to its node, even if that was folded away or out of view. */
function useShown() {
  useSignalEffect(() => {
    const path = selected.value;
    untracked(() => {
      const { focused, wantsFocus } = own;
      show(path);
      // The keyboard goes along, such as to the next open node after a split was taken.
      if (pathKey(focused.value) === pathKey(path)) return;
      const active = document.activeElement;
      focused.value = path;
      if (active === document.body || active?.closest(".cards, .cand")) wantsFocus.value = true;
    });
  });
}

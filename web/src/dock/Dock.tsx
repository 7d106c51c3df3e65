// The dock: tabs, and one view or two side by side.
import { useEffect, useRef } from "preact/hooks";
import { Grip } from "../parts/Grip";
import { dockShown, lit, pin } from "../state/store";
import { words } from "../words";
import "./dock.css";
import { type DockView, openViews } from "./registry";
import { clampedHeight, clampedWidth, followSize, size, toggleDock, wide } from "./size";

export function Dock() {
  const views = openViews();
  const all = shownOf(views);
  const shown = wide.value ? all : all.slice(-1);
  const { folded } = size.value;
  const box = useRef<HTMLElement>(null);
  useEffect(followSize, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || lit.value === null) return;
    pin(null);
    event.stopPropagation();
  };
  return (
    <section
      class={`dock ${folded ? "folded" : ""}`}
      aria-label={words.views}
      data-region="dock"
      tabIndex={-1}
      ref={box}
      onKeyDown={onKeyDown}
    >
      {!folded && <HeightGrip />}
      <Tabs views={views} shown={shown.map(({ key }) => key)} />
      {!folded && (
        <div class={`panes panes-${shown.length}`}>
          {shown.map(({ key, title, component: View }, place) => (
            <div class="pane" key={key} role="tabpanel" id={`pane-${key}`} aria-label={title}>
              {place === 1 && <WidthGrip box={box} />}
              <View />
            </div>
          ))}
          {shown.length === 0 && <p class="note pane-empty">{words.dockEmpty}</p>}
        </div>
      )}
    </section>
  );
}

function HeightGrip() {
  const { height } = size.value;
  const move = (next: number) => {
    size.value = { ...size.value, height: clampedHeight(next, innerHeight) };
  };
  return <Grip side="horizontal" label={words.dock.height} value={height} onMove={move} />;
}

function WidthGrip({ box }: { box: { current: HTMLElement | null } }) {
  const { width } = size.value;
  const move = (next: number) => {
    const available = box.current?.clientWidth ?? innerWidth;
    size.value = { ...size.value, width: clampedWidth(next, available) };
  };
  return <Grip side="vertical" label={words.dock.width} value={width} onMove={move} />;
}

function shownOf(views: DockView[]): DockView[] {
  const found = dockShown.value.flatMap((key) => views.filter((view) => view.key === key));
  return found.length > 0 ? found : views.slice(0, 1);
}

function Tabs({ views, shown }: { views: DockView[]; shown: string[] }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Where the tabs scroll, the chosen one stays in view.
    const tab = list.current?.querySelector<HTMLElement>(
      `[aria-controls="pane-${shown[shown.length - 1]}"]`,
    );
    const box = list.current;
    if (!tab || !box) return;
    const right = tab.offsetLeft + tab.offsetWidth - box.offsetLeft;
    if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth + 24;
  }, [shown.join(" ")]);
  const move = (event: KeyboardEvent, position: number) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (way === undefined) return;
    const next = (position + way + views.length) % views.length;
    list.current?.querySelectorAll("button")[next]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tabs">
      <div class="tablist" role="tablist" aria-label={words.views} ref={list}>
        {views.map(({ key, title }, position) => (
          <button
            key={key}
            type="button"
            role="tab"
            aria-selected={shown.includes(key)}
            aria-controls={shown.includes(key) ? `pane-${key}` : undefined}
            tabIndex={key === shown[0] ? 0 : -1}
            title={words.beside}
            onClick={(event) => {
              open(key, shown, event.shiftKey || event.metaKey);
              // On a phone the views follow the inspector in one sheet.
              if (!wide.value) list.current?.closest(".dock")?.scrollIntoView({ block: "start" });
            }}
            onKeyDown={(event) => move(event, position)}
          >
            {title}
          </button>
        ))}
      </div>
      <span class="hint">{words.dockHint}</span>
      <Fold />
    </div>
  );
}

function Fold() {
  const { folded } = size.value;
  return (
    <button
      type="button"
      class="icon fold"
      aria-label={folded ? words.dock.unfold : words.dock.fold}
      title={folded ? words.dock.unfold : words.dock.fold}
      aria-expanded={!folded}
      onClick={toggleDock}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={folded ? "M4 10l4-4l4 4" : "M4 6l4 4l4-4"} />
      </svg>
    </button>
  );
}

function open(key: string, shown: string[], beside: boolean): void {
  if (size.value.folded) {
    toggleDock();
    if (shown.includes(key)) return;
  }
  choose(key, shown, beside && wide.value);
}

/** A click shows a view in place of the last one; with Shift, alone or beside the first. */
export function choose(key: string, shown: string[], beside: boolean): void {
  if (beside) {
    const alone = shown.length === 1 && shown[0] === key;
    if (alone) return;
    dockShown.value = shown.includes(key)
      ? shown.filter((other) => other !== key)
      : [...shown.slice(0, 1), key];
  } else if (!shown.includes(key)) {
    dockShown.value = shown.length === 2 ? pair(key, shown) : [key];
  } else {
    dockShown.value = [key];
  }
}

/** Show a view that another part of the page leads to. */
export function reveal(key: string): void {
  if (size.value.folded) toggleDock();
  const shown = shownOf(openViews()).map((view) => view.key);
  if (!shown.includes(key)) choose(key, wide.value ? shown : [], false);
}

/** The table stays on the left of what is looked at. */
const pair = (key: string, shown: string[]) => (key === "table" ? [key] : [shown[0], key]);

/** The next or previous view, for the keys `[` and `]`. */
export function turn(way: 1 | -1): void {
  const views = openViews();
  const shown = shownOf(views);
  if (views.length === 0) return;
  const at = views.findIndex(({ key }) => key === shown[shown.length - 1]?.key);
  choose(views[(at + way + views.length) % views.length].key, [shown[0].key], false);
}

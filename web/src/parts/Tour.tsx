// Three hints for the first visit; the sheet of keys shows them again.
import { signal } from "@preact/signals";
import { recall, remember } from "../state/storage";
import { tree } from "../state/store";
import { words } from "../words";

const SEEN = "plaintree-tour";
const hint = signal<number | null>(null);

export function startTour(): void {
  hint.value = 0;
}

/** Show the hints to whoever has not seen them. */
export function offerTour(): void {
  if (recall("localStorage", SEEN) === null) startTour();
}

function end(): void {
  remember("localStorage", SEEN, "1");
  hint.value = null;
}

export function Tour() {
  const at = hint.value;
  if (at === null) return null;
  // A grown tree has no node that waits.
  const waits = (tree.value?.open.length ?? 0) > 0;
  const { title, text } = at === 0 && !waits ? words.tourGrown : words.tour[at];
  const last = at === words.tour.length - 1;
  const next = () => {
    if (last) end();
    else hint.value = at + 1;
  };
  return (
    <div class="tour" role="note">
      <b>{title}</b>
      <p>{text}</p>
      <div>
        <span class="dots" aria-hidden="true">
          {words.tour.map((_, i) => (
            <i key={i} class={i === at ? "on" : ""} />
          ))}
        </span>
        {!last && (
          <button type="button" class="link" onClick={end}>
            {words.skip}
          </button>
        )}
        <button type="button" class="link next" onClick={next}>
          {last ? words.tourEnd : words.next}
        </button>
      </div>
    </div>
  );
}

// The view that all stages share: its scale and place, and how it glides to another.
import { signal } from "@preact/signals";
import type { ViewBox } from "./cull";
import { frames } from "./motion";

/** The view; `view.k` in percent is shown in the tools. The size is that of one stage. */
export const view = signal<ViewBox>({ k: 1, dx: 0, dy: 0, width: 0, height: 0 });

/** Whether the tree is fitted to the stage after each change, until the reader moves it. */
export const follows = signal(true);

export type Place = Pick<ViewBox, "k" | "dx" | "dy">;

let goal: Place | null = null;
let halt = () => {};

/** The view at the end of the motion that is under way, if there is one. */
export const aim = (): ViewBox => ({ ...view.peek(), ...goal });

/** Put the view elsewhere at once, such as while it is dragged. */
export function put(place: Partial<ViewBox> & Place): void {
  halt();
  goal = null;
  view.value = { ...view.peek(), ...place };
}

/** Move the view there, as the nodes move to their places. */
export function glide(place: Place): void {
  const { k, dx, dy } = view.peek();
  halt();
  goal = place;
  const [x, y, scale] = [dx / k, dy / k, Math.log(place.k / k)];
  halt = frames((share) => {
    if (share === 1) {
      put(place);
      return;
    }
    const now = k * Math.exp(scale * share);
    const mix = (from: number, to: number) => (from + (to / place.k - from) * share) * now;
    view.value = { ...view.peek(), k: now, dx: mix(x, place.dx), dy: mix(y, place.dy) };
  });
}

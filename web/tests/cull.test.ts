// Culling: what is found is what is visible, and no more than that.
import { expect, test } from "vitest";
import {
  clamped,
  fitted,
  itemAt,
  MOST_CARDS,
  nearCards,
  seen,
  tileOf,
  type ViewBox,
} from "../src/tree/cull";
import { type Item, layout, openedNodes } from "../src/tree/layout";
import { randomOf, randomTree } from "./trees";

const folds = {
  unfolding: { by: "all" as const },
  folded: new Set<string>(),
  unfolded: new Set<string>(),
};
const model = randomTree(21, 900, 4);
const laid = layout(model, openedNodes(model, folds), false);

function views(n: number): ViewBox[] {
  const random = randomOf(7);
  return Array.from({ length: n }, () => {
    const k = 0.02 + random() ** 3 * 1.5;
    const x = laid.left + random() * (laid.right - laid.left);
    const y = random() * laid.bottom;
    return { k, dx: 700 - x * k, dy: 400 - y * k, width: 1400, height: 800 };
  });
}

const isVisible = ({ x, y, w, h }: Item, { k, dx, dy, width, height }: ViewBox) =>
  (x + w / 2) * k + dx >= 0 &&
  (x - w / 2) * k + dx <= width &&
  (y + h) * k + dy >= 0 &&
  y * k + dy <= height;

/** The items that are painted, those of slivers included. */
function painted(view: ViewBox): Set<Item> {
  const found = seen(laid.root, view);
  const all = new Set(found.items);
  const stack = [...found.slivers];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    all.add(item);
    stack.push(...item.children);
  }
  return all;
}

test.each(views(40).map((view, i) => [i, view] as const))("view %i shows all in it", (_, view) => {
  const shown = painted(view);
  for (const item of laid.items) if (isVisible(item, view)) expect(shown.has(item)).toBe(true);
});

test("far fewer items are visited than there are, if the view is near", () => {
  const near = views(40).filter(({ k }) => k > 0.5);
  expect(near.length).toBeGreaterThan(3);
  for (const view of near) {
    expect(seen(laid.root, view).items.length).toBeLessThan(laid.items.length / 4);
  }
});

test("narrow subtrees are slivers", () => {
  const view = { k: 0.002, dx: 700, dy: 10, width: 1400, height: 800 };
  const { items, slivers } = seen(laid.root, view);
  expect(slivers.length).toBeGreaterThan(0);
  expect(items.length + slivers.length).toBeLessThan(laid.items.length / 2);
  for (const item of slivers) expect((item.right - item.left) * view.k).toBeLessThan(3);
});

test("cards are the visible items, but not when they are too small to be read", () => {
  for (const view of views(40)) {
    const cards = new Set(nearCards(laid.root, view));
    expect(cards.size).toBeLessThanOrEqual(MOST_CARDS);
    const visible = laid.items.filter((item) => isVisible(item, view));
    if (view.k < 0.45) expect(cards.size).toBe(0);
    else if (visible.length < 50) for (const item of visible) expect(cards.has(item)).toBe(true);
  }
});

test("the item at its own middle is found, and none between cards", () => {
  const view = { k: 0.8, dx: 30, dy: 20, width: 1400, height: 800 };
  for (const item of laid.items.slice(0, 200)) {
    const [px, py] = [item.x * view.k + view.dx, (item.y + item.h / 2) * view.k + view.dy];
    expect(itemAt(laid.root, view, px, py)).toBe(item);
    expect(itemAt(laid.root, view, px, (item.y + item.h + 4) * view.k + view.dy)).toBeNull();
  }
});

test("the fitted view shows the whole tree, not larger than life", () => {
  const { k, dx, dy } = fitted(laid, 1400, 800);
  const view = { k, dx, dy, width: 1400, height: 800 };
  for (const item of laid.items) expect(isVisible(item, view)).toBe(true);
  expect(fitted({ left: -78, right: 78, bottom: 68 }, 1400, 800).k).toBe(1);
});

test("a tile lasts for small moves", () => {
  const view = { k: 1, dx: 10, dy: 10, width: 1400, height: 800 };
  expect(tileOf({ ...view, dx: 40 })).toBe(tileOf(view));
  expect(tileOf({ ...view, dx: 300 })).not.toBe(tileOf(view));
  expect(tileOf({ ...view, k: 1.1 })).not.toBe(tileOf(view));
});

test("a view that was moved away keeps some of the tree", () => {
  for (const view of views(20)) {
    for (const [dx, dy] of [
      [1e7, 0],
      [-1e7, -1e7],
      [0, 1e7],
    ]) {
      const moved = clamped(laid, { ...view, dx: view.dx + dx, dy: view.dy + dy });
      expect(laid.right * moved.k + moved.dx).toBeGreaterThanOrEqual(79);
      expect(laid.left * moved.k + moved.dx).toBeLessThanOrEqual(moved.width - 79);
      expect(laid.bottom * moved.k + moved.dy).toBeGreaterThanOrEqual(79);
      expect(moved.dy).toBeLessThanOrEqual(moved.height - 79);
    }
  }
});

// Labels at the ends of curves, moved apart.

/** Labels that would lie on each other are moved apart, in the order of their heights. */
export function apart(heights: readonly number[], least = 14): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a] - heights[b]);
  const placed = order.map((i) => heights[i]);
  for (let turn = 0; turn < placed.length; turn++) {
    for (let i = 1; i < placed.length; i++) {
      const overlap = least - (placed[i] - placed[i - 1]);
      if (overlap <= 0) continue;
      placed[i - 1] -= overlap / 2;
      placed[i] += overlap / 2;
    }
  }
  const found = [...heights];
  order.forEach((original, i) => {
    found[original] = placed[i];
  });
  return found;
}

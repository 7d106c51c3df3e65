// Of several attempts the last one counts: answers to the others come too late.

/** A function that begins an attempt; what it returns says whether that is still the last one. */
export function attempts(): () => () => boolean {
  let latest = 0;
  return () => {
    latest += 1;
    const own = latest;
    return () => own === latest;
  };
}

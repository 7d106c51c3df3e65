// Given numbers as text: `Intl` of the browser for reading, a point in whatever is copied.

const formats = new Map<string, Intl.NumberFormat>();

function format(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  let made = formats.get(key);
  if (made === undefined) {
    made = new Intl.NumberFormat(undefined, options);
    formats.set(key, made);
  }
  return made;
}

/** How a number that is not defined is written. */
export const NOT_DEFINED = "–";

export function count(value: number): string {
  return format("count", { maximumFractionDigits: 0 }).format(value);
}

/** A weight in a small place: one digit after the point, none from 1,000 on. */
export function shortWeight(value: number): string {
  if (Number.isInteger(value) || value >= 1000) return shortCount(Math.round(value));
  return format("short weight", { maximumFractionDigits: 1 }).format(value);
}

/** A count in a small place: 32,561 as it is, 1,234,567 as 1.23 M. */
export function shortCount(value: number): string {
  if (value < 100_000) return count(value);
  return format("short", { notation: "compact", maximumSignificantDigits: 3 }).format(value);
}

/** A weight: an integer as it is, a part of a row with up to two digits. */
export function weight(value: number): string {
  return Number.isInteger(value)
    ? count(value)
    : format("weight", { maximumFractionDigits: 2 }).format(value);
}

/** A score, gain or impurity: so many digits after the point, fewer if there are many before. */
export function score(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOT_DEFINED;
  const before = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
  const after = Math.max(0, digits - before);
  const options = { minimumFractionDigits: after, maximumFractionDigits: after };
  const written = format(`score${after}`, options).format(value);
  return Number(value.toFixed(after)) === 0 ? written.replace("-", "") : written;
}

/** A value of the table or a prediction: at most so many significant digits. */
export function value(given: number | null | undefined, digits = 6): string {
  if (given === null || given === undefined || !Number.isFinite(given)) return NOT_DEFINED;
  return format(`value${digits}`, { maximumSignificantDigits: digits }).format(given);
}

/** A proportion of a whole as a percentage without decimals, or with one below 1 %. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return NOT_DEFINED;
  const share = part / whole;
  const digits = share > 0 && share < 0.01 ? 1 : 0;
  return format(`percent${digits}`, { style: "percent", maximumFractionDigits: digits }).format(
    share,
  );
}

/** A part that may be negative as a percentage with one decimal. */
export function finePercent(part: number): string {
  const options = { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
  const written = format("fine percent", options).format(part);
  return Math.abs(part) < 0.0005 ? written.replace("-", "") : written;
}

/** For copying: a point, no groups. */
export const plain = (given: number): string => String(given);

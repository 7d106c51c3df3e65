// What of the rows and their classes has room in the line of a card.
import { shortWeight } from "../numbers";

export interface Counted {
  /** "1,200 rows", and without the word. */
  text: string;
  bare: string;
  /** By class. */
  weights: readonly number[];
}

export interface Room {
  /** Whether the number of rows has its word. */
  word: boolean;
  /** So many counts, the largest, are shown. */
  most: number;
  /** Whether these are all. */
  all: boolean;
}

/** Widths in pixels of a letter, and of the line. */
export const [LETTER, INSIDE] = [6.3, 134];
/** Widths of a digit, of a marker with its gap, of "…", and between two of them. */
const [DIGIT, SHAPE, MORE, BETWEEN] = [7.2, 12, 9, 7];
const BESIDE_ROWS = 5;
const MOST = 2;

/** Two counts go before the word "rows"; what is left out has "…" in its place. */
export function roomFor({ text, bare, weights }: Counted): Room {
  const parts = weights.filter((part) => part > 0).sort((a, b) => b - a);
  const width = (rows: string, most: number) => {
    const counts = parts.slice(0, most).map((part) => SHAPE + DIGIT * shortWeight(part).length);
    const pieces = parts.length > most ? [...counts, MORE] : counts;
    const between = BETWEEN * Math.max(0, pieces.length - 1);
    return LETTER * rows.length + BESIDE_ROWS + pieces.reduce((sum, w) => sum + w, 0) + between;
  };
  const room = (word: boolean, most: number): Room => ({ word, most, all: parts.length <= most });
  if (width(text, MOST) <= INSIDE) return room(true, MOST);
  if (width(bare, MOST) <= INSIDE) return room(false, MOST);
  return room(width(text, 1) <= INSIDE, 1);
}

// A number with a dotted underline: it opens its formula.
import { count, NOT_DEFINED, score } from "../numbers";
import { canOpen, type Door, digits, openFormula } from "../state/store";
import { words } from "../words";

interface Properties {
  value: number | null | undefined;
  /** Where the formula behind it is found; without one the number is plain text. */
  door?: Door | null;
  /** Text in place of the formatted value, such as a weight or a percentage. */
  text?: string;
  class?: string;
  tabIndex?: number;
}

export function Figure({ value, door, text, class: extra = "", tabIndex }: Properties) {
  const written = text ?? (Number.isInteger(value) ? integer(value) : score(value, digits.value));
  if (door === null || door === undefined || written === NOT_DEFINED || !canOpen(door)) {
    return <span class={`plain-fig ${extra}`}>{written}</span>;
  }
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    openFormula(door);
  };
  return (
    <button
      type="button"
      class={`fig ${extra}`}
      tabIndex={tabIndex}
      onClick={open}
      aria-label={words.openFormula(written)}
    >
      {written}
    </button>
  );
}

/** An exact 0 or 1 needs no decimals. */
const integer = (value: number | null | undefined) => count(value ?? 0);

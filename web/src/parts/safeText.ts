// Every text that is drawn passes here: control and bidi characters become symbols, wherever a
// sentence of the server or a name from the table is put.
import { options, type VNode } from "preact";
import { visible } from "./Name";

/** Attributes that are read or shown; values of fields stay as they are. */
const SHOWN = ["title", "aria-label", "aria-valuetext", "aria-description", "placeholder", "label"];

const safe = (text: unknown) => (typeof text === "string" && text !== "" ? visible(text) : text);

/** Texts are nodes without a type, whose properties are the text itself. */
export function makeSafe(node: VNode): void {
  if (node.type === null) node.props = safe(node.props) as typeof node.props;
  if (typeof node.type !== "string") return;
  const given = node.props as Record<string, unknown>;
  for (const name of SHOWN) if (name in given) given[name] = safe(given[name]);
}

const before = options.vnode;
options.vnode = (node) => {
  makeSafe(node);
  before?.(node);
};

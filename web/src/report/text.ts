// The report as text, which is printed and read without script, and the tree in its place.
import { words } from "../words";

const styleOf = (id: string) => document.getElementById(id) as HTMLStyleElement | null;

/** Show the tree; on paper the report stays text. */
export function showTree(): void {
  show("print", "screen", false);
}

/** Show the text, with a way back. */
export function showText(): void {
  show("all", "not all", true);
  if (document.getElementById("plaintree-back") === null) {
    const back = document.createElement("button");
    back.id = "plaintree-back";
    back.type = "button";
    back.textContent = words.report.asTree;
    back.addEventListener("click", showTree);
    document.querySelector("main")?.prepend(back);
  }
  scrollTo(0, 0);
  document.getElementById("plaintree-back")?.focus();
}

function show(text: string, tree: string, asText: boolean): void {
  const [ofText, ofTree] = [styleOf("plaintree-text"), styleOf("plaintree-living")];
  if (ofText !== null) ofText.media = text;
  if (ofTree !== null) ofTree.media = tree;
  const root = document.getElementById("studio");
  if (root !== null) root.hidden = asText;
  document.documentElement.dataset.view = asText ? "text" : "tree";
}

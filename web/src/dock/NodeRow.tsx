// A row of a table that stands for a node: it lights the node, and a click selects it.
import type { ComponentChildren } from "preact";
import type { Path } from "../state/document";
import { type Lit, light, lit, pin, select } from "../state/store";
import { isLitLeaf } from "./linking";

interface NodeRowProperties {
  path: Path;
  from: Lit["from"];
  children: ComponentChildren;
}

export function NodeRow({ path, from, children }: NodeRowProperties) {
  const own: Lit = { from, paths: [path] };
  const choose = () => {
    select(path);
    pin(own);
  };
  return (
    <tr
      class={`link-row ${isLitLeaf(lit.value, path) ? "lit" : ""}`}
      tabIndex={0}
      onPointerEnter={() => light(own)}
      onPointerLeave={() => light(null)}
      onFocus={() => light(own)}
      onBlur={() => light(null)}
      onClick={choose}
      onKeyDown={(event) => event.key === "Enter" && choose()}
    >
      {children}
    </tr>
  );
}

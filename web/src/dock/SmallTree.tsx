// A small picture of a tree, for two trees side by side.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { count, value } from "../numbers";
import { condition } from "../parts/condition";
import { colourOf, shapeOf } from "../parts/Marker";
import { middle, visible } from "../parts/Name";
import { pathKey } from "../state/document";
import { light, lit } from "../state/store";
import type { TreeModel } from "../tree/model";
import { NODE, smallTree } from "./smallTree";

const MOST = 31;
const EDGE = 12;
/** Pictures that do not fit are made smaller as far as they can be read; then they scroll. */
const LEAST = 0.6;

interface Properties {
  model: TreeModel;
  title: string;
  /** Where the trees differ first: this node has a ring. */
  ringed: readonly number[] | null;
  /** Whether it is the tree of the stage, so that its nodes light up. */
  linked: boolean;
  /** Called when the reader moves the picture in its box, with the distance. */
  onPan: (box: HTMLElement, byX: number, byY: number) => void;
}

export function SmallTree({ model, title, ringed, linked, onPan }: Properties) {
  const at = ringed === null ? -1 : model.nodeAt(model.nearest(ringed));
  const { nodes, edges, left, width, height } = useMemo(
    () => smallTree(model, MOST, at),
    [model, at],
  );
  const box = useRef<HTMLDivElement>(null);
  const place = useRef({ x: 0, y: 0 });
  const shown = nodes.find(({ node }) => node === Math.max(0, at));
  useEffect(() => {
    const element = box.current;
    if (element === null || shown === undefined) return;
    const scale = (element.firstElementChild?.clientWidth ?? 0) / (width + 2 * EDGE) || 1;
    element.scrollTo(
      scale * (shown.x - left + EDGE) - element.clientWidth / 2,
      scale * (shown.y + NODE.height / 2 + EDGE) - element.clientHeight / 2,
    );
    place.current = { x: element.scrollLeft, y: element.scrollTop };
  }, [model, at]);
  const scrolled = () => {
    const element = box.current;
    if (element === null) return;
    const { x, y } = place.current;
    place.current = { x: element.scrollLeft, y: element.scrollTop };
    // Only the box under the pointer or with the focus leads, so that none answers the other.
    if (element.matches(":hover, :focus-within"))
      onPan(element, element.scrollLeft - x, element.scrollTop - y);
  };
  return (
    <div
      class="small-scroll"
      ref={box}
      onScroll={scrolled}
      role="region"
      aria-label={title}
      tabIndex={0}
    >
      <svg
        class="small-tree"
        viewBox={`${left - EDGE} ${-EDGE} ${width + 2 * EDGE} ${height + 2 * EDGE}`}
        style={{ width: `clamp(${LEAST * (width + 2 * EDGE)}px, 100%, ${width + 2 * EDGE}px)` }}
        role="img"
        aria-label={title}
      >
        {edges.map(({ node, x0, y0, x1, y1 }) => {
          const middleY = (y0 + y1) / 2;
          return (
            <g key={node}>
              <path
                class="small-edge"
                d={`M${x0} ${y0}C${x0} ${middleY} ${x1} ${middleY} ${x1} ${y1}`}
              />
              <text class="small-condition" x={x1} y={y1 - 5} text-anchor="middle">
                {middle(visible(condition(model.columns.edge[node])), 14)}
              </text>
            </g>
          );
        })}
        {nodes.map(({ node, x, y, hidden }) => (
          <SmallNode
            key={node}
            model={model}
            node={node}
            x={x}
            y={y}
            hidden={hidden}
            ringed={node === at}
            linked={linked}
          />
        ))}
      </svg>
    </div>
  );
}

interface NodeProperties {
  model: TreeModel;
  node: number;
  x: number;
  y: number;
  hidden: number;
  ringed: boolean;
  linked: boolean;
}

function SmallNode({ model, node, x, y, hidden, ringed, linked }: NodeProperties) {
  const { label, prediction } = model.columns;
  const leaf = model.isLeaf(node);
  const path = model.pathOf(node);
  const isLit =
    linked && (lit.value?.paths.some((each) => pathKey(each) === pathKey(path)) ?? false);
  const text = leaf
    ? label[node] >= 0
      ? model.label(node)
      : value(prediction[node], 4)
    : model.column(node);
  const marked = leaf && label[node] >= 0;
  const whole = hidden > 0 ? `${visible(text)} +${count(hidden)}` : visible(text);
  return (
    <g
      class={`small-node ${leaf ? "leaf" : ""} ${isLit ? "lit" : ""}`}
      style={marked ? { "--c": colourOf(label[node]) } : undefined}
      onPointerEnter={linked ? () => light({ from: "compare", paths: [path] }) : undefined}
      onPointerLeave={linked ? () => light(null) : undefined}
    >
      <title>{whole}</title>
      {ringed && (
        <rect
          class="ring"
          x={x - NODE.width / 2 - 5}
          y={y - 5}
          width={NODE.width + 10}
          height={NODE.height + 10}
          rx="11"
        />
      )}
      <rect
        class="box"
        x={x - NODE.width / 2}
        y={y}
        width={NODE.width}
        height={NODE.height}
        rx="6"
      />
      {marked && (
        <path
          class="sh"
          d={shapeOf(label[node])}
          transform={`translate(${x - NODE.width / 2 + 8}, ${y + 7.5}) scale(0.9)`}
        />
      )}
      <text
        x={marked ? x - NODE.width / 2 + 21 : x}
        y={y + 16}
        text-anchor={marked ? "start" : "middle"}
      >
        {middle(visible(text), hidden > 0 ? 8 : 12)}
        {hidden > 0 && <tspan class="small-more">{` +${count(hidden)}`}</tspan>}
      </text>
    </g>
  );
}

// Replies from the data in a report: what is not in it is not known.
import type { Document, Hello, TableFacts } from "../../messages";
import { cellsOf } from "../report/cells";
import { explained, type Program } from "../report/predict";
import { canonical } from "../state/document";
import { Failed, type Name, type Transport } from "./transport";

/** The data of a report: the first messages, and requests with their replies. */
export interface ReportData {
  format: 1;
  title: string;
  hello: Hello;
  table: TableFacts;
  document: Document;
  replies: Record<string, [asked: object, reply: unknown][]>;
  /** Whether the rows of the table are in the file. */
  rows: boolean;
  /** What was verified of the program that predicts rows; null if there is none. */
  prediction: string | null;
  /** How to open the model in the studio. */
  command: string;
}

/** What does not change which reply of a report is meant: one way of writing is in the file. */
const WRITTEN: Partial<Record<Name, string[]>> = {
  candidates: ["most"],
  pruning: ["n_folds"],
  quality: ["n_folds"],
};

/** The digits of formulas unless a request says otherwise. */
const USUAL_DIGITS = 4;

const program = () => (globalThis as { plaintreeModel?: Program }).plaintreeModel;

export function embedded(data: ReportData, absent: string): Transport {
  const indexes = new Map<string, Map<string, unknown>>();
  const indexOf = (name: Name) => {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const listed = data.replies[name] ?? [];
    const index = new Map(listed.map(([asked, reply]) => [keyOf(name, asked), reply]));
    indexes.set(name, index);
    return index;
  };
  const found = (name: Name, request: object): unknown => {
    if (name === "hello") return data.hello;
    if (name === "cells") return data.rows ? cellsOf(data.replies.cells[0][1], request) : undefined;
    if (name === "explain") return explained(program(), data, request);
    return indexOf(name).get(keyOf(name, request));
  };
  const names = Object.keys(data.replies).filter((name) => data.replies[name].length > 0);
  if (data.prediction !== null) names.push("explain");
  return {
    names: new Set(["hello", ...names]),
    async call(name, request) {
      const reply = found(name, request);
      if (reply !== undefined) return reply as never;
      throw new Failed({ what: absent, got: "", hint: data.command, kind: "usage" });
    },
    has(name, request) {
      if (name === "explain") return data.prediction !== null;
      if (name === "cells") return data.rows;
      return indexOf(name).has(keyOf(name, request));
    },
  };
}

function keyOf(name: Name, request: object): string {
  const { document: _, ...others } = request as { document?: never; [key: string]: unknown };
  for (const key of WRITTEN[name] ?? []) delete others[key];
  if (others.digits === USUAL_DIGITS) delete others.digits;
  if (others.exact === false || others.exact === undefined) delete others.exact;
  else delete others.digits;
  return canonical(others);
}

/** The data of `<script type="application/json">`, gzipped in base64 if it is large. */
export async function reportData(element: HTMLElement): Promise<ReportData> {
  const content = element.textContent ?? "";
  if (element.dataset.encoding !== "gzip") return JSON.parse(content);
  const stream = new Blob([bytesOf(atob(content.trim()))])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** A loop, because `Uint8Array.from` of a string takes 20 times as long. */
function bytesOf(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

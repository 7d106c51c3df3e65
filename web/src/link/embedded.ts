// Answers from the data in a report: what is not in it is not known.
import type { Document, Hello, TableFacts } from "../../messages";
import { canonical } from "../state/document";
import { Failed, type Transport } from "./transport";

/** The data of a report. Answers are found by name, then by the other arguments as sorted JSON. */
export interface ReportData {
  format: 1;
  hello: Hello;
  table: TableFacts;
  document: Document;
  answers: Record<string, Record<string, unknown>>;
}

export function embedded(data: ReportData, absent: string): Transport {
  return {
    names: new Set(["hello", ...Object.keys(data.answers)]),
    call(name, request) {
      const { document: _, ...others } = request as { document?: never; [key: string]: unknown };
      const answers = data.answers[name] ?? {};
      const answer = name === "hello" ? data.hello : (answers[canonical(others)] ?? answers["*"]);
      if (answer !== undefined) return Promise.resolve(answer as never);
      return Promise.reject(new Failed({ what: absent, got: "", hint: "", kind: "usage" }));
    },
  };
}

/** The data of `<script type="application/json">`, gzipped in base64 if it is large. */
export async function reportData(element: HTMLElement): Promise<ReportData> {
  const content = element.textContent ?? "";
  if (element.dataset.encoding !== "gzip") return JSON.parse(content);
  const bytes = Uint8Array.from(atob(content.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

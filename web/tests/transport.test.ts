// Questions: equal ones share an answer, late answers reach nobody, failures are told.
import { afterEach, expect, test } from "vitest";
import type { Document } from "../messages";
import { embedded } from "../src/link/embedded";
import {
  ask,
  canAsk,
  connect,
  Failed,
  hold,
  keyOf,
  known,
  type Name,
  once,
  stop,
  type Transport,
} from "../src/link/transport";

const document: Document = {
  table: { key: "k", hash: "h", name: "golf", target: "play" },
};

interface Call {
  name: string;
  answer: (value: unknown) => void;
  fail: (error: unknown) => void;
  progress: (line: { stage: string; done: number; total: number | null }) => void;
  stopped: AbortSignal;
}

const calls: Call[] = [];
const fake: Transport = {
  call: (name, _request, progress, stopped) =>
    new Promise((answer, fail) =>
      calls.push({ name, answer: answer as never, fail, progress, stopped }),
    ),
};

afterEach(() => {
  calls.length = 0;
});

const lost = { what: "", got: "", hint: "", kind: "lost" as const };
const settled = () => new Promise((go) => setTimeout(go));

test("equal questions are asked once", async () => {
  connect(fake);
  const first = ask("tree", { document, member: 0 });
  expect(ask("tree", { member: 0, document: { ...document } })).toBe(first);
  expect(calls).toHaveLength(1);
  expect(first.value.state).toBe("waiting");
  calls[0].progress({ stage: "growing", done: 1, total: 3 });
  expect(first.value).toMatchObject({ state: "waiting", progress: { done: 1 } });
  calls[0].answer({ hash: "x" });
  await settled();
  expect(first.value).toEqual({ state: "value", value: { hash: "x" } });
});

test("a late answer fills its own question only", async () => {
  connect(fake);
  const old = ask("rows", { document, at: [0] });
  const now = ask("rows", { document, at: [1] });
  expect(now).not.toBe(old);
  calls[0].answer({ rows: [1] });
  await settled();
  expect(now.value.state).toBe("waiting");
});

test("stopped work may be asked for again", async () => {
  connect(fake);
  const request = { document, at: [0] };
  ask("candidates", request);
  stop("candidates", request);
  expect(calls[0].stopped.aborted).toBe(true);
  ask("candidates", request);
  expect(calls).toHaveLength(2);
});

test("whoever waits keeps the failure, and asks again when he comes back", async () => {
  connect(fake);
  const request = { document, at: [0] };
  for (const end of ["stopped", "lost"] as const) {
    calls.length = 0;
    ask("rows", request);
    const release = hold(keyOf("rows", request));
    if (end === "stopped") stop("rows", request);
    calls[0].fail(end === "lost" ? new Failed(lost) : new DOMException("", "AbortError"));
    await settled();
    expect(ask("rows", request).value).toMatchObject({ state: "error", error: { kind: end } });
    expect(calls).toHaveLength(1);
    release();
    await new Promise((go) => setTimeout(go, 60));
    ask("rows", request);
    expect(calls).toHaveLength(2);
    stop("rows", request);
  }
});

test("failures come with their reason", async () => {
  connect(fake);
  const asked = ask("cuts", { document, at: [], column: "x" });
  calls[0].fail(new Failed({ what: "no such column", got: "'x'", hint: "choose", kind: "table" }));
  await settled();
  expect(asked.value).toMatchObject({ state: "error", error: { what: "no such column" } });
});

test("nothing is asked without a request", () => {
  connect(fake);
  expect(ask("tree", null).value.state).toBe("idle");
  expect(calls).toHaveLength(0);
});

test("keys follow the name, the document and the arguments", () => {
  const other = { ...document, edits: [{ edit: "cut" as const, at: [] }] };
  const keys = [
    keyOf("rows", { document, at: [] }),
    keyOf("rows", { document, at: [0] }),
    keyOf("rows", { document: other, at: [] }),
    keyOf("candidates", { document, at: [] }),
  ];
  expect(new Set(keys).size).toBe(4);
});

test("a report answers from its data and says what it does not hold", async () => {
  const formula = {
    at: [0],
    member: 0,
    measure: "score",
    split: { column: "x", cut: 2, is: null },
  };
  const replies = {
    rows: [[{ at: [0] }, { rows: [4] }]],
    formula: [
      [formula, { title: "gain" }],
      [{ ...formula, digits: 2 }, { title: "gain in two digits" }],
    ],
    pruning: [],
  };
  const data = { format: 1, hello: {}, table: {}, document, replies, prediction: null };
  connect(embedded(data as never, "not in this report"));
  expect(["rows", "pruning", "quality", "explain"].map((name) => canAsk(name as Name))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  await expect(once("rows", { document, at: [0] })).resolves.toEqual({ rows: [4] });
  const written = { digits: 4, exact: false, split: { column: "x", cut: 2 }, branch: null };
  const asked = { document, at: [0], member: 0, measure: "score", ...written };
  expect([known("formula", asked), known("formula", { ...asked, at: [1] })]).toEqual([true, false]);
  await expect(once("formula", asked)).resolves.toEqual({ title: "gain" });
  const others = [{ digits: 2 }, { digits: 3 }, { exact: true }];
  expect(others.map((how) => known("formula", { ...asked, ...how }))).toEqual([true, false, false]);
  await expect(once("rows", { document, at: [1] })).rejects.toThrow("not in this report");
});

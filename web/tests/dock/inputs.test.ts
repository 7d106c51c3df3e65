// The row of What if: what is typed wins over the row of the table, whenever that arrives.
import { beforeEach, expect, test } from "vitest";
import { beginFrom, inputs, type, valueIn } from "../../src/dock/inputs";
import { connect } from "../../src/link/transport";
import { started } from "../../src/state/history";
import { history } from "../../src/state/store";

const columns = ["outlook", "humidity", "play"];
let arrive: (row: number, cells: (string | null)[]) => Promise<void>;

beforeEach(() => {
  const waiting = new Map<number, (answer: unknown) => void>();
  connect({
    call: (name, request) =>
      new Promise((answer) => {
        if (name === "cells") waiting.set((request as { rows: number[] }).rows[0], answer as never);
      }),
  });
  arrive = async (row, cells) => {
    waiting.get(row)?.({ columns, cells: [cells], rows: [row] });
    await new Promise((go) => setTimeout(go));
  };
  history.value = started({ table: { key: "k", hash: "h", name: "golf", target: "play" } });
  beginFrom(0);
  expect(inputs.value).toEqual({});
});

test("the values of a row are taken, but for its target and what is missing", async () => {
  await arrive(0, ["sunny", null, "no"]);
  expect(inputs.value).toEqual({ outlook: "sunny" });
});

test("what is typed before the row arrives stays", async () => {
  type("humidity", "70");
  await arrive(0, ["sunny", "85", "no"]);
  expect(inputs.value).toEqual({ outlook: "sunny", humidity: "70" });
});

test("a value that is deleted is missing", async () => {
  type("outlook", "");
  await arrive(0, ["sunny", "85", "no"]);
  expect(inputs.value).toEqual({ humidity: "85" });
});

test("another row takes the place of what was typed, and a late one does not", async () => {
  type("humidity", "70");
  beginFrom(3);
  expect(inputs.value).toEqual({});
  await arrive(0, ["sunny", "85", "no"]);
  expect(inputs.value).toEqual({});
  await arrive(3, ["rain", "96", "yes"]);
  expect(inputs.value).toEqual({ outlook: "rain", humidity: "96" });
});

test("a column may have any name", () => {
  expect(valueIn(inputs.value, "constructor")).toBeNull();
});

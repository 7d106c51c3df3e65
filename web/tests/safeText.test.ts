// Whatever is drawn shows its control and bidi characters, but what a field holds stays as it is.
import { h, type VNode } from "preact";
import { expect, test } from "vitest";
import { makeSafe } from "../src/parts/safeText";

const text = (content: string) => ({ type: null, props: content }) as unknown as VNode;

test("texts show their control characters and cannot turn around what follows", () => {
  const node = text("Not taken: a\u0000b\u202ec\u200b\n");
  makeSafe(node);
  expect(node.props).toBe("Not taken: a␀b�c�␊");
});

test("markup is text like any other", () => {
  const node = text("</script><b>x</b>");
  makeSafe(node);
  expect(node.props).toBe("</script><b>x</b>");
});

test("attributes that are read are shown alike, the values of fields are not", () => {
  const { props } = h("input", { title: "a\u202eb", "aria-label": "\u0007", value: "a\u202eb" });
  expect(props).toEqual({ title: "a�b", "aria-label": "␇", value: "a\u202eb" });
});

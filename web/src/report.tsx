// The living report: the same components, with answers from the data in the file.
import { render } from "preact";
import { App } from "./App";
import { embedded, reportData } from "./link/embedded";
import { connect } from "./link/transport";
import { keepAll } from "./state/keep";
import { hello, live, openDocument } from "./state/store";
import { words } from "./words";
import "./style.css";
import "./app.css";

async function start(): Promise<void> {
  const element = document.getElementById("plaintree-data");
  const root = document.getElementById("studio");
  if (element === null || root === null) return;
  const data = await reportData(element);
  connect(embedded(data, words.notInReport));
  live.value = false;
  hello.value = data.hello;
  keepAll();
  openDocument(data.table, data.document);
  // What can be read without the script gives way to what is alive.
  root.replaceChildren();
  render(<App />, root);
}

void start();

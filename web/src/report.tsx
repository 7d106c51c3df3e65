// The living report: the same components, with answers from the data in the file.
import { render } from "preact";
import { App } from "./App";
import { embedded, reportData } from "./link/embedded";
import { connect } from "./link/transport";
import { keepAll } from "./state/keep";
import { hello, openDocument } from "./state/store";
import { words } from "./words";
import "./style.css";
import "./app.css";

async function start(): Promise<void> {
  const element = document.getElementById("plaintree-data");
  const root = document.getElementById("studio");
  if (element === null || root === null) return;
  const data = await reportData(element);
  connect(embedded(data, words.notInReport));
  hello.value = data.hello;
  keepAll();
  openDocument(data.table, data.document);
  render(<App />, root);
}

void start();

// The living report: the same components, with answers from the data in the file.
import { render } from "preact";
import "./parts/safeText";
import { embedded, reportData } from "./link/embedded";
import { connect } from "./link/transport";
import { Living } from "./report/Living";
import { showTree } from "./report/text";
import { keepTheme } from "./state/keep";
import { dockShown, hello, live, openCommand, openDocument } from "./state/store";
import { words } from "./words";
import "./style.css";
import "./app.css";
import "./tree/stage.css";
import "./print.css";
import "./report/report.css";

async function start(): Promise<void> {
  const element = document.getElementById("plaintree-data");
  const root = document.getElementById("studio");
  if (element === null || root === null) return;
  const data = await reportData(element);
  connect(embedded(data, words.notInReport));
  live.value = false;
  openCommand.value = data.command;
  hello.value = data.hello;
  keepTheme();
  openDocument(data.table, data.document);
  dockShown.value = data.rows ? ["table", "regions"] : ["rules", "quality"];
  showTree();
  render(<Living data={data} />, root);
}

void start();

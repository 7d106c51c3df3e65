// The grid of a living report: bar, stage, inspector, views, and what else the studio can do.
import "../dock";
import { useEffect, useState } from "preact/hooks";
import { KeysSheet } from "../bar/KeysSheet";
import { Stepper } from "../bar/Stepper";
import { Theme } from "../bar/TopBar";
import { Dock } from "../dock/Dock";
import { Inspector } from "../inspect/Inspector";
import type { ReportData } from "../link/embedded";
import { offered } from "../link/transport";
import { Logo } from "../parts/icons";
import { visible } from "../parts/Name";
import { remembered, Splitter } from "../parts/Splitter";
import { Toast } from "../parts/Toast";
import { presenting } from "../state/store";
import { onKey, present } from "../tree/keys";
import { Stage } from "../tree/Stage";
import { words } from "../words";
import { showText } from "./text";

const DOCK = 272;
const INSPECTOR = 392;
const dockSize = remembered("plaintree-dock-height", DOCK);
const inspectorSize = remembered("plaintree-inspector", INSPECTOR);

export function Living({ data }: { data: ReportData }) {
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  const sizes = { "--dock": `${dockSize.value}px`, "--insp": `${inspectorSize.value}px` };
  return (
    <>
      <div class={`app living ${presenting.value ? "presenting" : ""}`} style={sizes}>
        {!presenting.value && <Bar data={data} />}
        <Stage />
        <Side />
        {presenting.value ? <Stepper /> : <Foot data={data} />}
      </div>
      <KeysSheet />
      <Toast />
    </>
  );
}

function Bar({ data }: { data: ReportData }) {
  return (
    <header class="bar0" data-region="bar" tabIndex={-1}>
      <Logo />
      <h1 class="living-title">
        <bdi>{visible(data.title)}</bdi>
      </h1>
      <dl class="living-figures" aria-label={words.report.metrics}>
        {data.figures.map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <span class="fill" />
      {offered("steps") && (
        <button type="button" class="btn present" onClick={() => present(true)}>
          {words.present}
        </button>
      )}
      <button type="button" class="btn" onClick={showText}>
        {words.report.asText}
      </button>
      <Theme />
    </header>
  );
}

/** What was verified, and how to go on. */
function Foot({ data }: { data: ReportData }) {
  return (
    <footer class="status" data-region="status" tabIndex={-1}>
      {data.prediction !== null && (
        <span class="living-proof" title={data.prediction}>
          {words.report.verified(data.prediction)}
        </span>
      )}
      <span class="fill" />
      <span class="living-on">
        {words.report.inStudio} <code>{visible(data.command)}</code>
      </span>
    </footer>
  );
}

/** Inspector and views; on a phone they share a sheet that is drawn up. */
function Side() {
  const [height, setHeight] = useState(44);
  const drag = (event: PointerEvent) => {
    if (event.buttons === 0) return;
    const share = 100 - (100 * event.clientY) / window.innerHeight;
    setHeight(Math.min(88, Math.max(12, share)));
  };
  return (
    <div class="side" style={{ "--sheet": `${height}dvh` }}>
      <button
        type="button"
        class="grip"
        aria-label={words.resizeSheet}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onClick={() => setHeight(height > 50 ? 44 : 80)}
      />
      <div class="insp-box">
        <Splitter
          way="x"
          size={inspectorSize}
          least={300}
          most={() => window.innerWidth * 0.6}
          usual={INSPECTOR}
          label={words.resizeInspector}
        />
        <Inspector />
      </div>
      {!presenting.value && (
        <div class="dock-box">
          <Splitter
            way="y"
            size={dockSize}
            least={120}
            most={() => window.innerHeight * 0.7}
            usual={DOCK}
            label={words.resizeDock}
          />
          <Dock />
        </div>
      )}
    </div>
  );
}

// The grid of the page: bar, stage, inspector, dock, status line.
import "./dock";
import { useEffect, useState } from "preact/hooks";
import { ExportSheet } from "./bar/ExportSheet";
import { Gone } from "./bar/Gone";
import { KeysSheet } from "./bar/KeysSheet";
import { StatusLine } from "./bar/StatusLine";
import { Stepper } from "./bar/Stepper";
import { TopBar } from "./bar/TopBar";
import { Dock } from "./dock/Dock";
import { Inspector } from "./inspect/Inspector";
import { remembered, Splitter } from "./parts/Splitter";
import { Toast } from "./parts/Toast";
import { offerTour } from "./parts/Tour";
import { prepared } from "./start/open";
import { Start } from "./start/Start";
import { live, presenting, table } from "./state/store";
import { onKey } from "./tree/keys";
import { Stage } from "./tree/Stage";
import { words } from "./words";

const INSPECTOR = 392;
export const inspectorSize = remembered("plaintree-inspector", INSPECTOR);

export function App() {
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <Gone />
      {table.value === null || prepared.value !== null ? <Beginning /> : <Studio />}
      <ExportSheet />
      <KeysSheet />
    </>
  );
}

const Beginning = () => (
  <>
    <Start />
    <Toast />
  </>
);

function Studio() {
  useEffect(() => {
    if (live.peek()) offerTour();
  }, []);
  const sizes = { "--insp": `${inspectorSize.value}px` };
  return (
    <div class={`app ${presenting.value ? "presenting" : ""}`} style={sizes}>
      {!presenting.value && <TopBar />}
      <Stage />
      <Toast />
      <Side />
      {!presenting.value && <StatusLine />}
      {presenting.value && <Stepper />}
    </div>
  );
}

/** Inspector and dock; on a phone they share a sheet that is drawn up. */
export function Side() {
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
        class="sheet-grip"
        aria-label={words.resizeSheet}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onClick={() => setHeight(height > 50 ? 44 : 80)}
      />
      <aside class="insp-box" aria-label={words.inspector}>
        <Splitter
          size={inspectorSize}
          least={300}
          most={() => window.innerWidth * 0.6}
          usual={INSPECTOR}
          label={words.resizeInspector}
        />
        <Inspector />
      </aside>
      {!presenting.value && (
        <div class="dock-box">
          <Dock />
        </div>
      )}
    </div>
  );
}

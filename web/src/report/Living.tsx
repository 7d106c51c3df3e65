// The grid of a living report: bar, stage, inspector, views, and what else the studio can do.
import { useEffect } from "preact/hooks";
import type { Quality } from "../../messages";
import { inspectorSize, Side } from "../App";
import { KeysSheet } from "../bar/KeysSheet";
import { Stepper } from "../bar/Stepper";
import { Theme } from "../bar/TopBar";
import type { ReportData } from "../link/embedded";
import { canAsk } from "../link/transport";
import { Logo } from "../parts/icons";
import { visible } from "../parts/Name";
import { Toast } from "../parts/Toast";
import { presenting } from "../state/store";
import { onKey, present } from "../tree/keys";
import { Stage } from "../tree/Stage";
import { words } from "../words";
import { showText } from "./text";

export function Living({ data }: { data: ReportData }) {
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  const sizes = { "--insp": `${inspectorSize.value}px` };
  return (
    <>
      <div class={`app living ${presenting.value ? "presenting" : ""}`} style={sizes}>
        {!presenting.value && <Bar data={data} />}
        <Stage />
        <Toast />
        <Side />
        {presenting.value ? <Stepper /> : <Foot data={data} />}
      </div>
      <KeysSheet />
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
        {figuresOf(data).map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <span class="fill" />
      {canAsk("steps") && (
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

const MOST_FIGURES = 2;

/** The first metrics of the least biased quality; the first names the rows of both. */
function figuresOf(data: ReportData): [name: string, value: string][] {
  const best = data.replies.quality?.[0]?.[1] as Quality | undefined;
  if (best === undefined) return [];
  const short = best.measured_on.replace(" of the learner with these settings", "");
  const on = short.replace(/ \(.*$/, "");
  const metrics = best.metrics.slice(0, MOST_FIGURES);
  return metrics.map(({ title, text }, i) => [
    i === 0 ? `${title}, ${on}` : title,
    text.replace(/ \(.*$/, ""),
  ]);
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

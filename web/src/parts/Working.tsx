// What is shown in place of an answer: nothing at first, then progress with Stop, or the failure.
import { useEffect, useState } from "preact/hooks";
import type { Failure, ProgressLine } from "../../messages";
import type { Asked } from "../link/transport";
import { count } from "../numbers";
import { words } from "../words";

interface Properties {
  asked: Asked<unknown>;
  onStop?: () => void;
}

/** Work that ends sooner shows nothing: a flicker tells less than a moment's wait. */
const QUIET_MS = 300;

export function Waiting({ asked, onStop }: Properties) {
  const late = useLate(asked.state === "waiting");
  if (asked.state === "error") return <Failed failure={asked.error} />;
  if (asked.state !== "waiting" || !late) return null;
  return <Progress line={asked.progress} onStop={onStop} />;
}

export function Progress({ line, onStop }: { line: ProgressLine | null; onStop?: () => void }) {
  const whole = line?.total ?? null;
  return (
    <div class="working" role="status">
      <span>{line === null || line.stage === "" ? words.working : line.stage}</span>
      {line !== null && whole !== null && whole > 0 && (
        <>
          <span class="track">
            <i style={{ width: `${(100 * line.done) / whole}%` }} />
          </span>
          <span>{words.of(count(line.done), count(whole))}</span>
        </>
      )}
      {onStop !== undefined && (
        <button type="button" class="link" onClick={onStop}>
          {words.stop}
        </button>
      )}
    </div>
  );
}

export function Failed({ failure }: { failure: Failure }) {
  if (failure.kind === "stopped") return <p class="failure">{words.stopped}</p>;
  const what = failure.what || words.lost;
  return (
    <div class="failure" role="alert">
      <b>{failure.got === "" ? what : `${what}; ${words.got} ${failure.got}`}</b>
      {failure.hint}
    </div>
  );
}

/** Whether something has been so for longer than a blink. */
export function useLate(so: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!so) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [so]);
  return so && late;
}

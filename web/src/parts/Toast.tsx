// What was done, with the way back, and the region that screen readers follow.
import { useEffect } from "preact/hooks";
import { notice, spoken, undo } from "../state/store";
import { words } from "../words";

const SECONDS = 8;

export function Toast() {
  const shown = notice.value;
  useEffect(() => {
    if (shown === null || shown.kind === "error") return;
    const timer = setTimeout(() => {
      notice.value = null;
    }, SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [shown]);
  const close = () => {
    notice.value = null;
  };
  const back = () => {
    close();
    undo();
  };
  return (
    <>
      <div class="unseen" aria-live="polite">
        {spoken.value}
      </div>
      {shown !== null && (
        <div class={`toast ${shown.kind}`}>
          <span>{shown.text}</span>
          {shown.undo && (
            <button type="button" onClick={back}>
              {words.undo}
            </button>
          )}
          <button type="button" class="close" onClick={close}>
            {words.close}
          </button>
        </div>
      )}
    </>
  );
}

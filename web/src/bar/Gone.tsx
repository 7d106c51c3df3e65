// The server has ended: the tree stays readable, the edits can be saved.
import { gone } from "../link/http";
import { editsOf } from "../state/document";
import { document as shownDocument } from "../state/store";
import { words } from "../words";
import { saveDocument } from "./save";

export function Gone() {
  if (!gone.value) return null;
  const n = shownDocument.value === null ? 0 : editsOf(shownDocument.value).length;
  return (
    <div class="gone" role="alert">
      <b>{words.gone}</b> <span>{words.goneEdits(n)}</span>
      <span class="fill" />
      {n > 0 && (
        <button type="button" class="btn" onClick={saveDocument}>
          {words.downloadEdits}
        </button>
      )}
      <button type="button" class="btn" onClick={() => location.reload()}>
        {words.reload}
      </button>
    </div>
  );
}

// All keys, and the switch that turns single letters off.
import { Sheet } from "../parts/Sheet";
import { startTour } from "../parts/Tour";
import { keysShown, singleKeys } from "../state/store";
import { words } from "../words";

export function KeysSheet() {
  if (!keysShown.value) return null;
  const close = () => {
    keysShown.value = false;
  };
  return (
    <Sheet title={words.keysTitle} onClose={close}>
      <dl class="keys">
        {words.keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="form-end">
        <label class="check">
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={(event) => {
              singleKeys.value = event.currentTarget.checked;
            }}
          />
          {words.singleKeys}
        </label>
        <span class="fill" />
        <button
          type="button"
          class="link"
          onClick={() => {
            close();
            startTour();
          }}
        >
          {words.showHints}
        </button>
      </div>
    </Sheet>
  );
}

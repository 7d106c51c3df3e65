// The fields of What if: a row to begin from, and a field for each column.
import type { ColumnFacts } from "../../messages";
import { canAsk } from "../link/transport";
import { count } from "../numbers";
import { middle, Name, visible } from "../parts/Name";
import { live, pinned, table } from "../state/store";
import { words } from "../words";
import { beginFrom, inputColumns, inputs, locks, origin, type, valueIn } from "./inputs";

export function Inputs() {
  const { used, others } = inputColumns.value;
  const text = words.dock.whatIf;
  return (
    <div class="whatif-in">
      <div class="whatif-row">
        {canAsk("cells") && <Origin />}
        <button type="button" class="link" onClick={() => beginFrom(null)}>
          {text.clear}
        </button>
      </div>
      <Inputted columns={used} />
      {others.length > 0 && (
        <details>
          <summary class="note">{text.others(count(others.length))}</summary>
          <Inputted columns={others.slice(0, 200)} />
        </details>
      )}
      <p class="note">{text.empty}</p>
    </div>
  );
}

/** The row whose values are taken; the one that is pinned is offered. */
function Origin() {
  const row = origin.value;
  const lit = pinned.value?.rows?.rows.length === 1 ? pinned.value.rows.rows[0] : null;
  const most = table.value?.n_rows ?? 1;
  return (
    <span class="whatif-origin">
      <label>
        {words.dock.whatIf.row}
        <input
          class="dock-field"
          type="number"
          min="1"
          max={most}
          value={row === null ? "" : row + 1}
          onInput={(event) => {
            const typedRow = event.currentTarget.valueAsNumber;
            if (typedRow >= 1 && typedRow <= most) beginFrom(Math.floor(typedRow) - 1);
          }}
        />
      </label>
      {lit !== null && lit !== row && (
        <button type="button" class="link" onClick={() => beginFrom(lit)}>
          {words.dock.whatIf.fromRow(count(lit + 1))}
        </button>
      )}
    </span>
  );
}

const Inputted = ({ columns: facts }: { columns: readonly ColumnFacts[] }) => (
  <div class="whatif-fields">
    {facts.map((column) => (
      <Input key={column.name} column={column} />
    ))}
  </div>
);

function Input({ column }: { column: ColumnFacts }) {
  const { name } = column;
  const id = `what-if-${name}`;
  return (
    <div class="whatif-field">
      <label for={id}>
        <Name text={name} most={24} />
      </label>
      <Control column={column} id={id} />
      {live.value && <Lock name={name} />}
    </div>
  );
}

function Control({ column, id }: { column: ColumnFacts; id: string }) {
  const { name, kind, values } = column;
  const now = valueIn(inputs.value, name) ?? "";
  const change = (event: { currentTarget: { value: string } }) =>
    type(name, event.currentTarget.value);
  const isCategory = kind === "category" || kind === "boolean" || kind === "ordered";
  if (isCategory && column.n_values <= values.length) {
    const all = now === "" || values.includes(now) ? values : [...values, now];
    return (
      <select id={id} class="dock-pick" value={now} onChange={change}>
        <option value="">{words.dock.missing}</option>
        {all.map((each) => (
          <option key={each} value={each}>
            {middle(visible(each), 32)}
          </option>
        ))}
      </select>
    );
  }
  const range =
    isCategory || values.length < 2
      ? ""
      : words.dock.whatIf.range(values[0], values[values.length - 1]);
  return (
    <>
      <input
        id={id}
        class="dock-field"
        type="text"
        inputMode={kind === "number" ? "decimal" : undefined}
        list={isCategory ? `${id}-values` : undefined}
        placeholder={words.dock.missing}
        title={range}
        value={now}
        onInput={change}
      />
      {isCategory ? (
        <datalist id={`${id}-values`}>
          {values.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      ) : (
        <em class="whatif-range">{range}</em>
      )}
    </>
  );
}

/** A locked column does not change in the smallest change. */
function Lock({ name }: { name: string }) {
  const locked = locks.value.has(name);
  const turn = () => {
    const next = new Set(locks.value);
    if (!next.delete(name)) next.add(name);
    locks.value = next;
  };
  return (
    <button
      type="button"
      class={`whatif-lock ${locked ? "on" : ""}`}
      aria-pressed={locked}
      aria-label={words.dock.whatIf.lock(visible(name))}
      title={words.dock.whatIf.lock(visible(name))}
      onClick={turn}
    >
      <svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true">
        <rect x="3" y="6.5" width="8" height="5.5" rx="1.2" />
        <path
          d={locked ? "M4.8 6.5V4.6a2.2 2.2 0 0 1 4.4 0v1.9" : "M4.8 6.5V4.2a2.2 2.2 0 0 1 4.2-.9"}
        />
      </svg>
    </button>
  );
}

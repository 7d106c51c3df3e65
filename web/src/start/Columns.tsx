// The columns of a table before its tree: which are used, what they are read as, their values.
import type { ColumnFacts, TableFacts } from "../../messages";
import { count, value } from "../numbers";
import { middle, Name, visible } from "../parts/Name";
import { words } from "../words";
import { reopen } from "./open";
import { kindsFor, withKind } from "./recipe";

const MOST_COLUMNS = 200;

export function Columns({ facts }: { facts: TableFacts }) {
  return (
    <div class="scroll-x">
      <table class="columns">
        <caption class="unseen">{words.columnsTitle}</caption>
        <thead>
          <tr>
            <th scope="col">{words.use}</th>
            <th scope="col">{words.column}</th>
            <th scope="col">{words.kind}</th>
            <th scope="col" class="n">
              {words.missing}
            </th>
            <th scope="col">{words.content}</th>
          </tr>
        </thead>
        <tbody>
          {facts.columns.slice(0, MOST_COLUMNS).map((column) => (
            <tr key={column.name} class={facts.drop.includes(column.name) ? "dropped" : ""}>
              <td>
                <Use facts={facts} name={column.name} />
              </td>
              <th scope="row">
                <Name text={column.name} most={40} />
              </th>
              <td>
                <KindOf facts={facts} column={column} />
              </td>
              <td class="n">{column.n_missing === 0 ? "" : count(column.n_missing)}</td>
              <td>{contentOf(column)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {facts.columns.length > MOST_COLUMNS && (
        <p class="note">{words.more(facts.columns.length - MOST_COLUMNS)}</p>
      )}
    </div>
  );
}

function Use({ facts, name }: { facts: TableFacts; name: string }) {
  if (name === facts.target) return <em class="target-mark">{words.targetColumn}</em>;
  const isLeftOut = facts.drop.includes(name);
  const drop = isLeftOut ? facts.drop.filter((other) => other !== name) : [...facts.drop, name];
  return (
    <input
      type="checkbox"
      aria-label={`${words.use} ${visible(name)}`}
      checked={!isLeftOut}
      onChange={() => void reopen(facts, { drop })}
    />
  );
}

/** The kind of a column, to be chosen where its values can be read in another way. */
function KindOf({ facts, column }: { facts: TableFacts; column: ColumnFacts }) {
  const kinds = kindsFor(column);
  if (kinds.length < 2 || column.name === facts.target || facts.drop.includes(column.name)) {
    return words.kinds[column.kind];
  }
  return (
    <select
      class="kind"
      aria-label={`${words.kind} ${visible(column.name)}`}
      value={column.kind}
      onChange={(event) => {
        const kind = event.currentTarget.value as ColumnFacts["kind"];
        event.currentTarget.value = column.kind; // until the table was read so, which may fail
        void reopen(facts, { recipe: withKind(facts.recipe, column.name, kind) });
      }}
    >
      {kinds.map((kind) => (
        <option key={kind} value={kind}>
          {words.kinds[kind]}
        </option>
      ))}
    </select>
  );
}

function contentOf({ kind, values, n_values, mean }: ColumnFacts): string {
  if ((kind === "number" || kind === "date") && values.length === 2) {
    const range = words.range(visible(values[0]), visible(values[1]));
    return mean === null ? range : `${range}, ${words.meanOf(value(mean, 4))}`;
  }
  const listed = values
    .slice(0, 6)
    .map((text) => middle(visible(text), 24))
    .join(", ");
  return n_values > 6 ? `${words.valuesShort(count(n_values))}: ${listed} …` : listed;
}

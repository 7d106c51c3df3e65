// How the values of a table are read: strings for missing values, warnings and what settles them.
import type { Finding, TableFacts } from "../../messages";
import { words } from "../words";
import { reopen } from "./open";
import { missingText, settled, withMissing } from "./recipe";

/** The strings that mean a missing value; a file with types of its own has none. */
export function Missing({ facts }: { facts: TableFacts }) {
  if (!facts.is_text) return null;
  const given = missingText(facts.recipe);
  const read = (text: string) => {
    const recipe = withMissing(facts.recipe, text);
    if (missingText(recipe) !== given) void reopen(facts, { recipe });
  };
  return (
    <label class="field" title={words.missingHelp}>
      <span>{words.missingTitle}</span>
      <input
        type="text"
        class="marks"
        spellcheck={false}
        autocomplete="off"
        placeholder={words.missingExample}
        defaultValue={given}
        key={given}
        onBlur={(event) => read(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") read(event.currentTarget.value);
        }}
      />
    </label>
  );
}

/** The order of day and month, where it is in doubt or was chosen. */
export function Dates({ facts }: { facts: TableFacts }) {
  const doubtful = facts.findings.some(({ parameter }) => parameter === "dates");
  const { dates } = facts.recipe;
  if (!doubtful && (dates === null || dates === undefined)) return null;
  return (
    <label class="field">
      <span>{words.datesTitle}</span>
      <select
        value={dates ?? ""}
        onChange={(event) => {
          const chosen = event.currentTarget.value as "" | "day-first" | "month-first";
          void reopen(facts, { recipe: { ...facts.recipe, dates: chosen || null } });
        }}
      >
        {(["", "day-first", "month-first"] as const).map((order) => (
          <option key={order} value={order}>
            {words.dateOrders[order]}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Findings({ facts }: { facts: TableFacts }) {
  return (
    <>
      {facts.findings.map((finding) => (
        <Remark key={finding.text} facts={facts} finding={finding} />
      ))}
    </>
  );
}

function Remark({ facts, finding }: { facts: TableFacts; finding: Finding }) {
  const how = settled(facts, finding);
  const isDone =
    finding.parameter === "drop" && finding.values.every((name) => facts.drop.includes(name));
  if (isDone) return null;
  return (
    <p class="finding">
      {finding.text}.
      {how !== null && (
        <>
          {" "}
          <button type="button" class="link" onClick={() => void reopen(facts, how)}>
            {words.settle(finding.parameter, finding.values)}
          </button>
        </>
      )}
    </p>
  );
}

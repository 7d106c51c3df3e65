// The tree as rules, or as an outline: sorted, filtered, each a way to its node.
import { effect, signal } from "@preact/signals";
import type { RuleFacts, Rules as RulesAnswer } from "../../messages";
import { canAsk, known, useAsk } from "../link/transport";
import { count, percent, value, weight } from "../numbers";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import type { Path } from "../state/document";
import {
  document,
  type Lit,
  light,
  lit,
  member,
  numeric,
  pin,
  pinned,
  select,
  table,
  tree,
} from "../state/store";
import { words } from "../words";
import { shownCondition } from "./conditions";
import { useKept } from "./hooks";
import { isLitLeaf, sameLight } from "./linking";
import { Outline } from "./Outline";
import { registerDock } from "./registry";
import {
  type Listed,
  listedRules,
  NO_FILTER,
  predictionsOf,
  type RuleColumn,
  type RuleFilter,
  type RuleSort,
} from "./ruleList";
import { Segments } from "./Segments";
import "./rules.css";

type Form = "leaves" | "simplified" | "c45rules";
const FORMS: ("outline" | Form)[] = ["outline", "leaves", "simplified", "c45rules"];
const MOST_RULES = 500;

const form = signal<"outline" | Form>("leaves");
const filter = signal<RuleFilter>(NO_FILTER);
const sort = signal<RuleSort | null>(null);

effect(() => {
  void table.value?.key;
  filter.value = NO_FILTER;
  sort.value = null;
});

function Rules() {
  const shown = hasAnswer(form.value) ? form.value : "leaves";
  return (
    <div class="rules">
      {shown === "outline" ? (
        <>
          <div class="caption">
            <Forms />
          </div>
          <div class="view">
            <Outline />
          </div>
        </>
      ) : (
        <RuleView form={shown} />
      )}
    </div>
  );
}

/** Whether the rules of a form are known: of trees of an ensemble, and in a report, not all are. */
function hasAnswer(form: (typeof FORMS)[number]): boolean {
  const now = document.value;
  if (form === "outline" || now === null) return true;
  if (form !== "leaves" && (tree.value?.columns.facts.n_members ?? 1) > 1) return false;
  return known("rules", { document: now, form, member: member.value });
}

function Forms() {
  return (
    <Segments
      label={words.dock.rules.form}
      keys={FORMS.filter(hasAnswer)}
      names={words.dock.rules}
      now={hasAnswer(form.value) ? form.value : "leaves"}
      onChoose={(key) => {
        form.value = key;
      }}
    />
  );
}

function RuleView({ form: wanted }: { form: Form }) {
  const request = document.value && {
    document: document.value,
    form: wanted,
    member: member.value,
  };
  const asked = useAsk("rules", request);
  const answer = useKept(asked);
  const listed = answer === null ? [] : listedRules(answer.rules, filter.value, sort.value);
  return (
    <>
      <div class="caption">
        <Forms />
        {answer !== null && answer.rules.length > 1 && <Filters answer={answer} />}
      </div>
      <div class="view">
        {answer === null ? (
          <Waiting asked={asked} />
        ) : (
          <RuleTable answer={answer} listed={listed} form={wanted} />
        )}
      </div>
    </>
  );
}

function Filters({ answer }: { answer: RulesAnswer }) {
  const set = (part: Partial<RuleFilter>) => {
    filter.value = { ...filter.value, ...part };
  };
  const all = predictionsOf(answer.rules);
  return (
    <span class="filters">
      {!numeric.value && (
        <select
          class="dock-pick"
          aria-label={words.dock.rules.filterPrediction}
          value={filter.value.prediction}
          onChange={(event) => set({ prediction: event.currentTarget.value })}
        >
          <option value="">{words.dock.rules.anyPrediction}</option>
          {all.map((prediction) => (
            <option key={prediction} value={prediction}>
              {middle(visible(prediction), 32)}
            </option>
          ))}
        </select>
      )}
      <Least
        label={words.dock.rules.minSupport}
        value={filter.value.minSupport}
        onChange={(minSupport) => set({ minSupport })}
      />
      {!numeric.value && (
        <Least
          label={words.dock.rules.minConfidence}
          value={filter.value.minConfidence}
          onChange={(minConfidence) => set({ minConfidence })}
        />
      )}
    </span>
  );
}

interface LeastProperties {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

/** A least percentage. */
function Least({ label, value: now, onChange }: LeastProperties) {
  return (
    <label class="least">
      {label}
      <input
        class="dock-field"
        type="number"
        min="0"
        max="100"
        step="1"
        placeholder="0"
        value={now === 0 ? "" : String(Math.round(now * 1000) / 10)}
        onInput={(event) =>
          onChange(Math.min(1, Math.max(0, event.currentTarget.valueAsNumber / 100 || 0)))
        }
      />
      <span aria-hidden="true">%</span>
    </label>
  );
}

interface TableProperties {
  answer: RulesAnswer;
  listed: Listed[];
  form: Form;
}

function RuleTable({ answer, listed, form: wanted }: TableProperties) {
  const ordered = wanted === "c45rules" && sort.value === null;
  return (
    <>
      <table class="plain rule-table">
        <thead>
          <tr>
            <Head by="rule" text={words.dock.rules.rule} />
            <Head by="prediction" text={words.dock.rules.prediction} />
            <Head by="rows" text={words.dock.rules.support} end />
            {!numeric.value && <Head by="confidence" text={words.dock.rules.confidence} end />}
            <th scope="col" class="n rule-interval">
              {words.dock.rules.interval}
            </th>
          </tr>
        </thead>
        <tbody>
          {listed.slice(0, MOST_RULES).map(({ rule, position }) => (
            <Rule key={`${wanted} ${position}`} rule={rule} position={position} number={ordered} />
          ))}
          {answer.default !== "" && listed.length > 0 && (
            <tr>
              <td colSpan={5}>{words.dock.rules.otherwise(middle(visible(answer.default), 60))}</td>
            </tr>
          )}
        </tbody>
      </table>
      {listed.length === 0 && <p class="note">{words.dock.rules.none}</p>}
      <p class="note rule-note">
        {words.dock.rules.shown(
          count(Math.min(listed.length, MOST_RULES)),
          count(answer.rules.length),
        )}
        {". "}
        {words.dock.rules.measured(answer.measured_on)}.
      </p>
    </>
  );
}

function Head({ by, text, end = false }: { by: RuleColumn; text: string; end?: boolean }) {
  const way = sort.value?.by === by ? (sort.value.descending ? "down" : "up") : "";
  const turn = () => {
    const first = by === "rows" || by === "confidence";
    if (way === "") sort.value = { by, descending: first };
    else if ((way === "down") === first) sort.value = { by, descending: !first };
    else sort.value = null;
  };
  return (
    <th
      scope="col"
      class={end ? "n" : ""}
      aria-sort={way === "" ? undefined : way === "up" ? "ascending" : "descending"}
    >
      <button type="button" class={`sort ${way}`} onClick={turn}>
        {text}
      </button>
    </th>
  );
}

interface RuleProperties {
  rule: RuleFacts;
  position: number;
  number: boolean;
}

function Rule({ rule, position }: RuleProperties) {
  const own: Lit = {
    from: "rules",
    paths: rule.leaf === null ? [] : [rule.leaf as Path],
    rule: position,
  };
  const now = lit.value;
  const isLit =
    now?.from === "rules" && now.rule !== undefined
      ? now.rule === position
      : rule.leaf !== null && isLitLeaf(now, rule.leaf);
  const choose = () => {
    if (rule.leaf === null) return;
    const again = sameLight(pinned.value, own);
    pin(again ? null : own);
    if (!again) select(rule.leaf as Path);
  };
  return (
    <tr
      class={isLit ? "lit" : ""}
      tabIndex={0}
      onPointerEnter={() => light(own)}
      onPointerLeave={() => light(null)}
      onFocus={() => light(own)}
      onBlur={() => light(null)}
      onClick={choose}
      onKeyDown={(event) => event.key === "Enter" && choose()}
    >
      <td class="rule-text">
        <Conditions conditions={rule.conditions} />
      </td>
      <td class="rule-then">
        {rule.label >= 0 && <Marker of={rule.label} />}
        <Name text={rule.prediction} most={28} />
      </td>
      <td class="n">
        {weight(rule.n_rows)}{" "}
        <em class="rule-share">{rule.support === null ? "" : percent(rule.support, 1)}</em>
      </td>
      {!numeric.value && (
        <td class="n">{rule.confidence === null ? "–" : percent(rule.confidence, 1)}</td>
      )}
      <td class="n rule-interval">
        <em>{intervalOf(rule)}</em>
      </td>
    </tr>
  );
}

function intervalOf({ low, high }: RuleFacts): string {
  if (low === null || high === null) return "";
  const text = numeric.value
    ? (number: number) => value(number, 4)
    : (share: number) => percent(share, 1);
  return words.dock.whatIf.range(text(low), text(high));
}

function Conditions({ conditions }: { conditions: readonly string[] }) {
  const columns = tree.value?.columns.features ?? [];
  if (conditions.length === 0) return <em>{words.dock.rules.always}</em>;
  return (
    <>
      {conditions.map((condition, i) => (
        <span key={i}>
          {i > 0 && <em> {words.dock.rules.and} </em>}
          <Name text={shownCondition(condition, columns)} most={60} />
        </span>
      ))}
    </>
  );
}

registerDock({
  key: "rules",
  title: words.dock.rules.title,
  component: Rules,
  available: () => canAsk("rules"),
});

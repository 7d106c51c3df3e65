// An ensemble: which of its trees is shown, how good all are together, and what they split on.
import type { Ensemble, Importance, Quality } from "../../messages";
import { reveal } from "../dock/Dock";
import { canAsk, known, useAsk } from "../link/transport";
import { finePercent, percent } from "../numbers";
import { Name } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { document, learner, member, numeric, pickMember, tree } from "../state/store";
import { words } from "../words";

const text = words.forest;

/** Which tree is shown, and the way to the others. */
export function MemberChooser() {
  const n = tree.value?.columns.facts.n_members ?? 1;
  const now = member.value;
  const go = (wanted: number) => {
    if (Number.isInteger(wanted)) pickMember(Math.min(n - 1, Math.max(0, wanted)));
  };
  return (
    <section class="member-head">
      <label>
        {words.memberTree}
        <input
          type="number"
          min={1}
          max={n}
          value={now + 1}
          onChange={(event) => go(event.currentTarget.valueAsNumber - 1)}
        />
        {words.memberOf(n)}
      </label>
      <span class="group">
        <button
          type="button"
          class="icon"
          disabled={now === 0}
          aria-label={text.before}
          title={text.before}
          onClick={() => go(now - 1)}
        >
          ‹
        </button>
        <button
          type="button"
          class="icon"
          disabled={now === n - 1}
          aria-label={text.next}
          title={text.next}
          onClick={() => go(now + 1)}
        >
          ›
        </button>
      </span>
    </section>
  );
}

/** What is known of all trees together. */
export function Forest() {
  const about = document.value && { document: document.value };
  const there = about !== null && known("ensemble", about);
  const asked = useAsk("ensemble", there ? about : null);
  const answer = asked.state === "value" ? asked.value : null;
  return (
    <section class="forest">
      <div class="title">
        <h3>{text.title(learner.value?.title ?? "")}</h3>
      </div>
      <OutOfBag />
      <Ways />
      <Waiting asked={asked} />
      {answer !== null && <Facts answer={answer} />}
      {answer !== null && answer.importances.length > 0 && <Importances all={answer.importances} />}
      <p class="note">{tree.value?.columns.facts.reason}</p>
    </section>
  );
}

/** The error of all trees, each row predicted by those that have not seen it. */
function OutOfBag() {
  const now = document.value;
  const request = now && ({ document: now, rows: "oob" } as const);
  const measured = tree.value?.columns.facts.measure.startsWith("out-of-bag") ?? false;
  const there = request !== null && measured && known("quality", request);
  const asked = useAsk("quality", there ? request : null);
  if (asked.state !== "value") return <Waiting asked={asked} />;
  return <Measured quality={asked.value} />;
}

function Measured({ quality }: { quality: Quality }) {
  const [main] = quality.metrics;
  if (main === undefined) return null;
  return (
    <p class="facts">
      {text.measured(main.title)} <b>{main.text}</b>
      {main.baseline !== null && quality.classes.length > 0
        ? text.baseline(percent(main.baseline, 1))
        : ""}
      <span class="note">{text.on(quality.measured_on, words.rows(quality.n_rows))}</span>
    </p>
  );
}

/** Where an ensemble is questioned. */
function Ways() {
  return (
    <div class="actions">
      {canAsk("explain") && (
        <button type="button" class="link" onClick={() => reveal("whatif")}>
          {numeric.value ? text.mean : text.votes}
        </button>
      )}
      {canAsk("quality") && (
        <button type="button" class="link" onClick={() => reveal("quality")}>
          {text.quality}
        </button>
      )}
    </div>
  );
}

function Facts({ answer }: { answer: Ensemble }) {
  const { typical } = answer;
  return (
    <dl class="fact-list">
      {answer.facts.map(({ title, text: value }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {typical !== null && (
        <div>
          <dt>{text.typical}</dt>
          <dd>
            {typical === member.value ? (
              <b>{text.tree(typical + 1)}</b>
            ) : (
              <button type="button" class="link" onClick={() => pickMember(typical)}>
                {text.tree(typical + 1)}
              </button>
            )}{" "}
            <span class="note">{answer.typical_text}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

const MOST = 12;

function Importances({ all }: { all: readonly Importance[] }) {
  const permuted = all.some(({ permutation }) => permutation !== null);
  const of = (it: Importance) => (permuted ? it.permutation : it.impurity) ?? 0;
  const best = Math.max(...all.map(of), 0);
  return (
    <>
      <h4 class="subtitle">{text.importances}</h4>
      <table class="importances">
        <thead>
          <tr>
            <th scope="col">{text.column}</th>
            {permuted && <th scope="col">{text.permutation}</th>}
            <th scope="col">{text.impurity}</th>
          </tr>
        </thead>
        <tbody>
          {all.slice(0, MOST).map((it) => (
            <tr key={it.column}>
              <th scope="row">
                <Name text={it.column} most={26} />
                <span class="meter" aria-hidden="true">
                  <i style={{ width: best > 0 ? `${(100 * Math.max(0, of(it))) / best}%` : 0 }} />
                </span>
              </th>
              {permuted && <td>{shown(it.permutation)}</td>}
              <td>{shown(it.impurity)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > MOST && <p class="note">{words.more(all.length - MOST)}</p>}
      <p class="note">
        {permuted ? text.permutationNote : ""} {text.impurityNote}
      </p>
    </>
  );
}

const shown = (part: number | null): string => (part === null ? "" : finePercent(part));

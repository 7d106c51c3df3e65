// The splits that the columns offer, best first; refused ones below, with their reason.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { BranchFacts, CandidateFacts, Candidates } from "../../messages";
import { count, score, value, weight } from "../numbers";
import { Bar, Counts, Strip } from "../parts/Bar";
import { condition, destination } from "../parts/condition";
import { Figure } from "../parts/Figure";
import { Item, Menu } from "../parts/Menu";
import { middle, Name, visible } from "../parts/Name";
import { digits, editable } from "../state/store";
import { scale } from "../tree/Card";
import type { TreeModel } from "../tree/model";
import { within } from "../tree/stepper";
import { words } from "../words";
import { chosenOffer, hovered, mark, moved, shownOffers, takeOffer } from "./offers";

const FIRST = 12;
type Number = "score" | "gain";
const number = signal<Number>("score");

export function Splits({ found, model }: { found: Candidates; model: TreeModel }) {
  const [all, setAll] = useState(false);
  const fit = shownOffers.value.filter(({ refused }) => refused === "");
  const refused = shownOffers.value.filter(({ refused: why }) => why !== "");
  const stepping = within.value !== null;
  const best = Math.max(0, ...fit.map(given));
  const shown = all ? fit : fit.slice(0, FIRST);
  const entry = (offer: CandidateFacts) => {
    const position = found.offers.indexOf(offer);
    return <Offer key={position} {...{ offer, position, best, found, model }} />;
  };
  // The first step of a node only asks.
  if (stepping && fit.length + refused.length === 0 && !within.value?.last) return null;
  return (
    <section class="splits">
      <div class="title">
        <h3>{words.splits}</h3>
        <Which found={found} />
      </div>
      {found.why_leaf !== "" && (within.value?.last ?? true) && (
        <p class="note lead">{found.why_leaf}</p>
      )}
      {!stepping && <Tie found={found} />}
      <ol class="cands">{shown.map(entry)}</ol>
      {shown.length < fit.length && (
        <button type="button" class="link more" onClick={() => setAll(true)}>
          {words.showAll(fit.length)}
        </button>
      )}
      {refused.length > 0 && (
        <>
          <h4 class="subtitle">{words.refused}</h4>
          <ol class="cands">{refused.map(entry)}</ol>
        </>
      )}
      {!stepping && <Untried found={found} />}
    </section>
  );
}

const given = (offer: CandidateFacts) => offer[number.value] ?? 0;

/** Which number is shown, where the score is not the gain itself. */
function Which({ found }: { found: Candidates }) {
  const names = { score: found.score_name, gain: found.gain_name };
  if (names.score === names.gain) return <span class="plain">{names.score}</span>;
  return (
    <Menu label={names[number.value]} class="small" end>
      {(close) =>
        (["score", "gain"] as const).map((key) => (
          <Item
            key={key}
            checked={number.value === key}
            onSelect={() => {
              number.value = key;
              close();
            }}
          >
            <b>{names[key]}</b>
          </Item>
        ))
      }
    </Menu>
  );
}

/** Tied splits are the reader's choice; the learner's own is named. */
function Tie({ found }: { found: Candidates }) {
  const winner = found.winner === null ? null : found.offers[found.winner];
  const tied = found.offers.filter((offer) => offer.tied && offer.rank === 1).length;
  if (tied < 2) return null;
  const waits = editable.value && winner !== null && found.offers.every(({ chosen }) => !chosen);
  return (
    <div class="tie">
      <p class="note">{waits ? words.tieOpen(tied) : words.tie(tied)}</p>
      {waits && (
        <button type="button" class="btn" onClick={() => takeOffer(winner)}>
          {words.takeTied(middle(visible(nameOf(winner)), 26), found.tie_break)}
        </button>
      )}
    </div>
  );
}

function Untried({ found }: { found: Candidates }) {
  if (found.untried.length === 0) return null;
  return (
    <ul class="untried">
      {found.untried.slice(0, 20).map(({ column, reason }) => (
        <li class="note" key={column}>
          <Name text={column} most={30} />: {reason}
        </li>
      ))}
      {found.untried.length > 20 && <li class="note">{words.more(found.untried.length - 20)}</li>}
    </ul>
  );
}

interface OfferProperties {
  offer: CandidateFacts;
  position: number;
  best: number;
  found: Candidates;
  model: TreeModel;
}

function Offer({ offer, position, best, found, model }: OfferProperties) {
  const on = moved.value === null && chosenOffer.value === position;
  const node = model.nodeAt(found.at);
  const door = { at: found.at, measure: number.value, split: offer.split };
  const share = best > 0 ? Math.min(1, Math.max(0, given(offer)) / best) : 0;
  return (
    <li
      class={`cand ${on ? "on" : ""} ${offer.refused === "" ? "" : "refused"}`}
      onPointerMove={() => hover(position)}
      onPointerLeave={() => hover(null)}
      onClickCapture={() => mark(position)}
    >
      <div class="l1">
        <span class="rank">
          {offer.rank === 0 ? "" : offer.tied ? words.tiedRank(offer.rank) : offer.rank}
        </span>
        <button
          type="button"
          class="cand-name"
          aria-pressed={on}
          onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && mark(position)}
          onKeyDown={turn}
          onClick={({ detail }) => detail === 0 && editable.value && takeOffer(offer)}
        >
          <Name text={nameOf(offer)} most={26} />
        </button>
        <small>{kindOf(offer)}</small>
        {offer.chosen && (within.value?.last ?? true) && <small class="own">{words.taken}</small>}
        <Figure
          value={offer[number.value]}
          door={door}
          text={score(offer[number.value], digits.value)}
        />
      </div>
      <div class="meter">
        <i style={{ width: `${100 * share}%` }} />
      </div>
      <Branches branches={offer.branches} model={model} />
      {on && <Sides branches={offer.branches} />}
      {offer.missing !== "" && (
        <p class="note missing">
          {offer.n_missing > 0 && (
            <Bar
              weights={[]}
              known={found.n_rows - offer.n_missing}
              missing={offer.n_missing}
              class="mini"
            />
          )}
          {destination(offer.missing)}
        </p>
      )}
      {offer.refused !== "" && <p class="note missing">{words.because(offer.refused)}</p>}
      {on && !offer.chosen && editable.value && (within.value === null || model.isOpen(node)) && (
        <div class="act">
          <button type="button" class="primary" onClick={() => takeOffer(offer)}>
            {offer.refused === "" ? words.take : words.takeAnyway}
            {offer.refused === "" && <kbd aria-hidden="true">↵</kbd>}
          </button>
          {!model.isLeaf(node) && <span>{words.replaces}</span>}
        </div>
      )}
    </li>
  );
}

function hover(position: number | null): void {
  hovered.value = position;
}

/** The arrows lead to the split above or below, which the focus then chooses. */
function turn(event: KeyboardEvent): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined) return;
  const name = event.currentTarget as HTMLElement;
  const all = [...(name.closest(".splits")?.querySelectorAll<HTMLElement>(".cand-name") ?? [])];
  all[all.indexOf(name) + step]?.focus();
  event.preventDefault();
}

/** The values of a group are listed with its branches. */
const nameOf = ({ text, column, split }: CandidateFacts): string =>
  (split.in?.length ?? 0) > 1 ? column : condition(text, column);

function kindOf(offer: CandidateFacts): string {
  if (offer.branches.length === 0) return "";
  const { split } = offer;
  if (split.cut !== null && split.cut !== undefined) return words.bestOfCuts(offer.n_cuts);
  if (split.groups || (split.in?.length ?? 0) > 1) return words.groupsOfValues;
  if (split.in || (split.is !== null && split.is !== undefined)) return words.oneValue;
  return words.branchPerValue;
}

/** From here on, the sides of a split are listed rather than named. */
const LISTED_FROM = 4;

/** The values on both sides of a split by groups, in columns that can be searched. */
function Sides({ branches }: { branches: readonly BranchFacts[] }) {
  const [text, setText] = useState("");
  const groups = branches.filter(({ values }) => values.length > 0);
  if (groups.every(({ values }) => values.length < LISTED_FROM)) return null;
  const wanted = text.trim().toLowerCase();
  return (
    <details class="sides">
      <summary>{words.valuesOfSides}</summary>
      <input
        type="search"
        placeholder={words.search}
        aria-label={words.searchValues}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="side-columns">
        {groups.map((branch, i) => (
          <Side key={i} branch={branch} wanted={wanted} />
        ))}
      </div>
    </details>
  );
}

function Side({ branch, wanted }: { branch: BranchFacts; wanted: string }) {
  const { values } = branch;
  const found = values.filter((name) => name.toLowerCase().includes(wanted));
  const title = condition(branch.text);
  return (
    <div role="group" aria-label={title}>
      <h5>
        <Name text={title} most={26} />
        {wanted !== "" && <em>{words.found(count(found.length))}</em>}
      </h5>
      <ul tabIndex={found.length > SEEN ? 0 : undefined}>
        {found.slice(0, MOST_LISTED).map((name) => (
          <li key={name}>
            <Name text={name} most={24} />
          </li>
        ))}
        {found.length > MOST_LISTED && <li>{words.more(found.length - MOST_LISTED)}</li>}
      </ul>
    </div>
  );
}

const MOST_LISTED = 200;
/** Longer lists scroll. */
const SEEN = 7;
const FIRST_BRANCHES = 4;

export function Branches({ branches, model }: { branches: BranchFacts[]; model: TreeModel }) {
  const [all, setAll] = useState(false);
  const byRows = [...branches].sort((a, b) => b.n_rows - a.n_rows);
  const shown = all || branches.length <= FIRST_BRANCHES ? branches : byRows.slice(0, 3);
  return (
    <div class="brs">
      {shown.map((branch, i) => (
        <span class="br" key={i}>
          <Name text={condition(branch.text)} most={22} class="br-text" />
          <Of branch={branch} classes={model.columns.classes} />
        </span>
      ))}
      {shown.length < branches.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {words.moreBranches(count(branches.length - shown.length))}
        </button>
      )}
    </div>
  );
}

function Of({ branch, classes }: { branch: BranchFacts; classes: readonly string[] }) {
  if (branch.class_weights.length > 0) {
    return (
      <>
        <Bar weights={branch.class_weights} class="mini" />
        <Counts weights={branch.class_weights} classes={classes} most={3} />
      </>
    );
  }
  return (
    <>
      <span class="mini-strip">
        <Strip mean={branch.prediction ?? 0} deviation={branch.deviation ?? 0} {...scale.value} />
      </span>
      <span>
        {value(branch.prediction, 4)} <em>{words.rowsOf(weight(branch.weight))}</em>
      </span>
    </>
  );
}

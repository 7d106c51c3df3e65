// The bar: table, target, learner with its settings, undo and redo, what may be done with the tree.

import { Logo, RedoIcon, ThemeIcon, UndoIcon } from "../parts/icons";
import { Menu } from "../parts/Menu";
import { editsOf } from "../state/document";
import {
  canRedo,
  canUndo,
  editable,
  exporting,
  grow,
  history,
  learner,
  redo,
  document as shownDocument,
  table,
  theme,
  tree,
  treeDocument,
  undo,
} from "../state/store";
import { present } from "../tree/keys";
import { words } from "../words";
import { SettingsForm } from "./Settings";
import { TableMenu, TargetMenu } from "./TableMenu";

export function TopBar() {
  const facts = table.value;
  const document = shownDocument.value;
  if (facts === null || document === null) return null;
  return (
    <header class="bar0" data-region="bar" tabIndex={-1}>
      <h1 class="unseen">{words.treeFor(facts.target)}</h1>
      <Logo />
      <TableMenu facts={facts} />
      <span class="to">{words.predictsWord}</span>
      <TargetMenu facts={facts} />
      <i class="vr" />
      <Menu
        label={
          <>
            {learner.value?.title ?? ""} <span>{conventions()}</span>
          </>
        }
        name={words.learnerMenu}
        class="learner"
        form
      >
        {(close) => <SettingsForm close={close} />}
      </Menu>
      <i class="vr" />
      <span class="group" role="group" aria-label={words.history}>
        <button
          type="button"
          class="icon"
          disabled={!canUndo.value}
          aria-label={undoName()}
          title={undoName()}
          onClick={undo}
        >
          <UndoIcon />
        </button>
        <button
          type="button"
          class="icon"
          disabled={!canRedo.value}
          aria-label={words.redo}
          title={words.redo}
          onClick={redo}
        >
          <RedoIcon />
        </button>
      </span>
      <State />
      <span class="fill" />
      {editable.value && (
        <button
          type="button"
          class="btn grow-rest"
          disabled={(tree.value?.open.length ?? 0) === 0}
          onClick={() => grow([])}
        >
          {words.growRest}
        </button>
      )}
      <button type="button" class="btn present" onClick={() => present(true)}>
        {words.present}
      </button>
      <button
        type="button"
        class="btn dark"
        onClick={() => {
          exporting.value = true;
        }}
      >
        {words.export}
      </button>
      <Theme />
    </header>
  );
}

/** The measure and where thresholds lie, if the learner has one convention for them. */
function conventions(): string {
  const measure = tree.value?.columns.score_name ?? "";
  const settings = shownDocument.value?.settings;
  const parameters: Record<string, unknown> = settings?.parameters ?? {};
  if (learner.value?.single !== true || parameters.conventions) return measure;
  const usual = learner.value.parameters.find(({ name }) => name === "threshold")?.default;
  const threshold = parameters.threshold ?? usual ?? "midpoint";
  const text = words.thresholds[String(threshold)];
  return text === undefined || parameters.numeric === "intervals" ? measure : `${measure}, ${text}`;
}

/** What undo would take back: the last edit in the words of the server. */
function undoName(): string {
  const before = history.value?.past[history.value.past.length - 1];
  const now = treeDocument.value;
  const states = tree.value?.columns.edits ?? [];
  if (before === undefined || now === null) return words.undo;
  const added = editsOf(now).length > editsOf(before).length;
  const last = states[states.length - 1];
  return added && last !== undefined ? `${words.undo}: ${last.text}` : words.undo;
}

function State() {
  const model = tree.value;
  if (model === null) return null;
  const { n_nodes, n_leaves } = model.columns.facts;
  const open = editable.value ? model.open.length : 0;
  return <span class="tree-state">{words.stateOf(n_nodes - n_leaves, open)}</span>;
}

export function Theme() {
  const dark = document.documentElement.dataset.theme === "dark";
  // Subscribes to changes of the theme.
  void theme.value;
  return (
    <button
      type="button"
      class="icon"
      aria-label={dark ? words.lightMode : words.darkMode}
      title={dark ? words.lightMode : words.darkMode}
      onClick={() => {
        theme.value = dark ? "light" : "dark";
      }}
    >
      <ThemeIcon />
    </button>
  );
}

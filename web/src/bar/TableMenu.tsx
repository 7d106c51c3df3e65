// What is known of the table, another table, another target.
import type { OpenRequest, TableFacts } from "../../messages";
import { once } from "../link/transport";
import { count } from "../numbers";
import { Item, Menu } from "../parts/Menu";
import { middle, Name, visible } from "../parts/Name";
import { prepared } from "../start/open";
import { newDocument } from "../state/document";
import { attempts } from "../state/latest";
import { changeTable, closeTable, document, sayFailure } from "../state/store";
import { words } from "../words";
import { settingsFor } from "./learners";

export function TableMenu({ facts }: { facts: TableFacts }) {
  const attributes = facts.columns.length - 1 - facts.drop.length;
  return (
    <Menu
      label={
        <>
          <bdi>{middle(visible(facts.name), 26)}</bdi>
          <span>{words.tableSize(facts.n_rows, attributes)}</span>
        </>
      }
      name={words.tableMenu}
      class="table-menu"
    >
      {(close) => (
        <>
          <div class="popup-text" role="presentation">
            {facts.findings.map(({ text }, i) => (
              <p class="finding" key={i}>
                {text}
              </p>
            ))}
            <ul class="column-list">
              {facts.columns.map((column) => (
                <li key={column.name}>
                  <Name text={column.name} most={26} />
                  <em>
                    {facts.drop.includes(column.name) ? words.left : words.kinds[column.kind]}
                    {column.n_missing > 0 && `, ${words.missingColumn(count(column.n_missing))}`}
                  </em>
                </li>
              ))}
            </ul>
          </div>
          <Item
            onSelect={() => {
              close();
              prepared.value = facts;
            }}
          >
            <b>{words.prepareAgain}</b>
          </Item>
          <Item
            onSelect={() => {
              close();
              closeTable();
            }}
          >
            <b>{words.openOther}</b>
          </Item>
        </>
      )}
    </Menu>
  );
}

export function TargetMenu({ facts }: { facts: TableFacts }) {
  const choose = async (target: string, close: () => void) => {
    close();
    if (target === facts.target || document.value === null) return;
    await reopen(facts, { target });
  };
  return (
    <Menu
      label={<bdi>{middle(visible(facts.target), 22)}</bdi>}
      name={words.targetMenu}
      class="target-menu"
    >
      {(close) =>
        facts.columns.map(({ name, kind }) => (
          <Item
            key={name}
            checked={name === facts.target}
            onSelect={() => void choose(name, close)}
          >
            <b>
              <Name text={name} most={30} />
            </b>
            <em>{words.kinds[kind]}</em>
          </Item>
        ))
      }
    </Menu>
  );
}

const opening = attempts();

/** The same table with another target: another document, with the same learner where it fits. */
async function reopen(facts: TableFacts, how: Partial<OpenRequest>): Promise<void> {
  const isLast = opening();
  try {
    const { key, drop, recipe } = facts;
    const next = await once("open", { key, drop, recipe, ...how });
    const start = document.value?.settings?.start ?? "grown";
    if (isLast()) changeTable(next, newDocument(next, { ...settingsFor(next.task), start }));
  } catch (error) {
    if (isLast()) sayFailure(error);
  }
}

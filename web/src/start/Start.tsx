// The first page: drop a file or choose an example; then target, columns and warnings.
import { useRef, useState } from "preact/hooks";
import { Theme } from "../bar/TopBar";
import { Logo } from "../parts/icons";
import { visible } from "../parts/Name";
import { Failed, Progress } from "../parts/Working";
import { hello } from "../state/store";
import { words } from "../words";
import {
  failure,
  openExample,
  openFile,
  pending,
  prepared,
  progress,
  reading,
  stopReading,
} from "./open";
import { Prepare } from "./Prepare";

export function Start() {
  const facts = prepared.value;
  return (
    <div class="start">
      <header class="bar0">
        <Logo />
        <b>{words.product}</b>
        <span class="fill" />
        <Theme />
      </header>
      <main>
        {reading.value && <Progress line={progress.value ?? reads} onStop={stopReading} />}
        {failure.value !== null && <Failed failure={failure.value} />}
        {facts === null ? (
          <Choose />
        ) : (
          <Prepare facts={facts} key={`${facts.key} ${facts.target} ${facts.task}`} />
        )}
      </main>
    </div>
  );
}

const reads = { stage: words.reading, done: 0, total: null };

function Choose() {
  const examples = hello.value?.examples ?? [];
  return (
    <>
      <h1>{words.startTitle}</h1>
      {pending.value !== null && (
        <p class="note">{words.otherTable(visible(pending.value.document.table.name))}</p>
      )}
      <Drop />
      {examples.length > 0 && (
        <>
          <h2>{words.tryOne}</h2>
          <ul class="examples">
            {examples.map(({ name, teaches, n_rows }) => (
              <li key={name}>
                <button type="button" onClick={() => void openExample(name)}>
                  <b>{name}</b>
                  <span>{teaches}</span>
                  <em>{words.rows(n_rows)}</em>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>{words.command}</h2>
      <pre class="command" tabIndex={0}>
        {words.commandText}
      </pre>
    </>
  );
}

function Drop() {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file !== undefined) void openFile(file);
  };
  return (
    <div
      class={`drop ${over ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <b>{words.drop}</b>
      <span>{words.dropFormats}</span>
      <button type="button" class="btn" onClick={() => input.current?.click()}>
        {words.chooseFile}
      </button>
      <input
        ref={input}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => take(event.currentTarget.files)}
      />
    </div>
  );
}

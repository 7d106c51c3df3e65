// Export: models, pictures and texts to save, with what was verified of them.
import { useState } from "preact/hooks";
import type { Exported, ExportKind, Failure, ProgressLine } from "../../messages";
import { Failed as Failing, failureOf, once } from "../link/transport";
import { copyText } from "../parts/clipboard";
import { Sheet } from "../parts/Sheet";
import { Failed, Progress } from "../parts/Working";
import { encodePlace } from "../state/address";
import {
  currentView,
  exporting,
  hello,
  member,
  say,
  document as shownDocument,
} from "../state/store";
import { words } from "../words";
import { pngOf, saveBytes, saveDocument } from "./save";

export function ExportSheet() {
  const [verify, setVerify] = useState(true);
  const { work, done, failure, run, forget } = useExport(verify);
  if (!exporting.value) return null;
  const close = () => {
    exporting.value = false;
    forget();
  };
  const all = entries(hello.value?.exports ?? []);
  const groups = [...new Set(all.map((it) => it.kind.group))];
  return (
    <Sheet title={words.exportTitle} onClose={close}>
      {groups.map((group, at) => {
        const members = all.filter((it) => it.kind.group === group);
        const isOne = (key: string | undefined) => members.some((it) => it.key === key);
        return (
          <section class="export-group" key={group}>
            <div class="export-head">
              <h3>{group}</h3>
              {members.some((it) => it.kind.verified) && (
                <label class="check">
                  <input type="checkbox" checked={verify} onChange={() => setVerify(!verify)} />
                  {words.verify}
                </label>
              )}
            </div>
            <ul class="exports">
              {members.map((it) => (
                <Item {...it} onClick={() => run(it)} />
              ))}
              {at === groups.length - 1 && <OfTheStudio />}
            </ul>
            {work !== null && isOne(work.of) && (
              <Progress line={work.line} onStop={() => work.control.abort()} />
            )}
            {isOne(done?.of) && <p class="note proof">{done?.text}</p>}
          </section>
        );
      })}
      {failure !== null && <Failed failure={failure} />}
    </Sheet>
  );
}

interface ItemProperties {
  title: string;
  extension?: string;
  onClick: () => void;
}

function Item({ title, extension, onClick }: ItemProperties) {
  return (
    <li>
      <button type="button" class="item" onClick={onClick}>
        <span>{title}</span>
        {extension !== undefined && <em>.{extension}</em>}
      </button>
    </li>
  );
}

/** What the page itself keeps: the document, and a link to it. */
function OfTheStudio() {
  return (
    <>
      <Item title={words.studioDocument} extension="studio.json" onClick={saveDocument} />
      <Item title={words.copyLink} onClick={() => void copyLink()} />
    </>
  );
}

/** One export after another: the one at work, and what was said of the last. */
function useExport(verify: boolean) {
  const [work, setWork] = useState<Work | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState<{ of: string; text: string } | null>(null);
  const forget = () => {
    work?.control.abort();
    setDone(null);
    setFailure(null);
  };
  const run = async ({ key, kind, as }: Entry) => {
    const document = shownDocument.value;
    if (document === null || work !== null) return;
    forget();
    const control = new AbortController();
    setWork({ of: key, line: null, control });
    try {
      const made = await once(
        "export",
        { document, what: kind.key, verify: verify && kind.verified, member: member.value },
        (line) => setWork({ of: key, line, control }),
        control.signal,
      );
      const file = await (as === "png" ? savePng(made) : saveMade(made));
      setDone({ of: key, text: `${words.saved(file)} ${made.verification}` });
    } catch (error) {
      if (exporting.peek()) setFailure(failureOf(error));
    }
    setWork(null);
  };
  return { work, done, failure, run: (it: Entry) => void run(it), forget };
}

function saveMade({ filename, media_type, text, base64 }: Exported): string {
  saveBytes(filename, media_type, bytesOf(text, base64));
  return filename;
}

async function savePng({ filename, text }: Exported): Promise<string> {
  const png = await pngOf(text ?? "");
  if (png === null) throw notDrawn();
  const file = filename.replace(/svg$/, "png");
  saveBytes(file, "image/png", png);
  return file;
}

/** An export under way: the entry of the list, and how far it is. */
interface Work {
  of: string;
  line: ProgressLine | null;
  control: AbortController;
}

const notDrawn = () =>
  new Failing({ what: words.notDrawn, got: "", hint: words.saveSvg, kind: "usage" });

interface Entry {
  key: string;
  title: string;
  extension: string;
  kind: ExportKind;
  as?: "png";
}

/** What the server writes, and a PNG that the browser draws from the SVG. */
const entries = (kinds: ExportKind[]): Entry[] =>
  kinds.flatMap((kind): Entry[] => {
    const { key, title } = kind;
    const extension = kind.extension.replace(/^\./, "");
    const own: Entry = { key, title, extension, kind };
    if (extension !== "svg") return [own];
    return [own, { key: "png", title: words.png, extension: "png", kind, as: "png" }];
  });

function bytesOf(text: string | null, base64: string | null): BlobPart {
  if (text !== null) return text;
  return Uint8Array.from(atob(base64 ?? ""), (c) => c.charCodeAt(0));
}

async function copyLink(): Promise<void> {
  const document = shownDocument.value;
  if (document === null) return;
  const encoded = await encodePlace({ document, view: currentView.value });
  if (encoded === null) {
    say(words.linkTooLong, { kind: "error" });
    return;
  }
  const { origin, pathname } = location;
  await copyText(`${origin}${pathname}#d=${encoded}`);
}

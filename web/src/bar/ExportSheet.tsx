// Export: models, pictures and texts to save, with what was verified of them.
import { useState } from "preact/hooks";
import type { ExportKind, Failure, ProgressLine } from "../../messages";
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
  const [work, setWork] = useState<Work | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState<{ of: string; text: string } | null>(null);
  if (!exporting.value) return null;
  const close = () => {
    exporting.value = false;
    work?.control.abort();
    setDone(null);
    setFailure(null);
  };
  const run = async (kind: ExportKind, as?: "png") => {
    const of = as ?? kind.key;
    const document = shownDocument.value;
    if (document === null || work !== null) return;
    setFailure(null);
    setDone(null);
    const control = new AbortController();
    setWork({ of, line: null, control });
    try {
      const made = await once(
        "export",
        { document, what: kind.key, verify: verify && kind.verified, member: member.value },
        (line) => setWork({ of, line, control }),
        control.signal,
      );
      const bytes = bytesOf(made.text, made.base64);
      const file = as === "png" ? made.filename.replace(/svg$/, "png") : made.filename;
      if (as !== "png") saveBytes(file, made.media_type, bytes);
      else {
        const png = await pngOf(made.text ?? "");
        if (png === null) throw notDrawn();
        saveBytes(file, "image/png", png);
      }
      setDone({ of, text: `${words.saved(file)} ${made.verification}` });
    } catch (error) {
      if (exporting.peek()) setFailure(failureOf(error));
    }
    setWork(null);
  };
  return (
    <Sheet title={words.exportTitle} onClose={close}>
      <label class="check">
        <input type="checkbox" checked={verify} onChange={() => setVerify(!verify)} />
        {words.verify}
      </label>
      <ul class="exports">
        {entries(hello.value?.exports ?? []).map(({ key, title, extension, kind, as }) => (
          <li key={key}>
            <button type="button" class="item" onClick={() => void run(kind, as)}>
              <b>{title}</b>
              <em>.{extension}</em>
            </button>
            {work?.of === key && <Progress line={work.line} onStop={() => work.control.abort()} />}
            {done?.of === key && <p class="note proof">{done.text}</p>}
          </li>
        ))}
        <li>
          <button type="button" class="item" onClick={saveDocument}>
            <b>{words.studioDocument}</b>
            <em>.studio.json</em>
          </button>
        </li>
        <li>
          <button type="button" class="item" onClick={() => void copyLink()}>
            <b>{words.copyLink}</b>
          </button>
        </li>
      </ul>
      {failure !== null && <Failed failure={failure} />}
    </Sheet>
  );
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

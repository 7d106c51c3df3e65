// Copying: browsers may refuse it, for example in a frame.
import { say } from "../state/store";
import { words } from "../words";

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(words.copied);
  } catch {
    say(words.notCopied, { kind: "error" });
  }
}

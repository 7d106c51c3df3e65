// A document and its view as a part of the address: `#d=` and base64url of deflated JSON.
import type { Document } from "../../messages";
import type { Path } from "./document";

/** What is seen of a document; not part of undo. */
export interface View {
  selected: Path;
  folded?: string[];
  unfolded?: string[];
  dock?: string[];
  digits?: number;
  exact?: boolean;
  shown?: string;
  step?: number;
}

export interface Place {
  document: Document;
  view: View;
}

/** Longer addresses are cut off by mail and chat programs; then a file is shared. */
export const LONGEST = 8192;

export async function encodePlace(place: Place): Promise<string | null> {
  const bytes = await through(new CompressionStream("deflate-raw"), text(JSON.stringify(place)));
  const encoded = toBase64Url(bytes);
  return encoded.length > LONGEST ? null : encoded;
}

/** The place of an encoded text, or null if it is none. */
export async function decodePlace(encoded: string): Promise<Place | null> {
  try {
    const bytes = fromBase64Url(encoded);
    const plain = await through(new DecompressionStream("deflate-raw"), bytes);
    return checkedPlace(JSON.parse(new TextDecoder().decode(plain)));
  } catch {
    return null;
  }
}

/** The parts of the fragment: `#t=TOKEN`, `#d=DOCUMENT`, or both. */
export function fragmentParts(fragment: string): { token?: string; place?: string } {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  return { token: parts.get("t") ?? undefined, place: parts.get("d") ?? undefined };
}

export function checkedPlace(value: unknown): Place | null {
  const place = value as Place | null;
  const fits =
    place !== null &&
    typeof place === "object" &&
    typeof place.document?.table?.hash === "string" &&
    typeof place.document.table.target === "string" &&
    (place.document.edits === undefined || Array.isArray(place.document.edits));
  if (!fits) return null;
  return {
    document: place.document,
    view: { ...place.view, selected: place.view?.selected ?? [] },
  };
}

const text = (plain: string) => new TextEncoder().encode(plain);

async function through(pipe: CompressionStream | DecompressionStream, bytes: Uint8Array) {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(pipe);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function fromBase64Url(encoded: string): Uint8Array {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

// A dialog over the page.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { words } from "../words";

interface Properties {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Sheet({ title, onClose, children }: Properties) {
  const box = useRef<HTMLDivElement>(null);
  // Before anything is drawn, so that the next key is already about the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current?.focus();
    return () => before?.focus?.();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") onClose();
    if (event.key === "Tab") keepInside(event, box.current);
  };
  return (
    <div
      class="sheet-back"
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div
        class="sheet"
        role="dialog"
        aria-modal="true"
        aria-label={title}
        tabIndex={-1}
        ref={box}
        onKeyDown={onKeyDown}
      >
        <div class="sheet-head">
          <h2>{title}</h2>
          <button type="button" class="link" onClick={onClose}>
            {words.close}
          </button>
        </div>
        {children}
      </div>
    </div>
  );
}

function keepInside(event: KeyboardEvent, box: HTMLElement | null): void {
  const all = [...(box?.querySelectorAll<HTMLElement>("button, input, select, a") ?? [])];
  const last = all[all.length - 1];
  const at = document.activeElement;
  if (event.shiftKey ? at === all[0] || at === box : at === last) {
    (event.shiftKey ? last : all[0])?.focus();
    event.preventDefault();
  }
}

// A button that opens a list of choices or a small form; Esc and a click outside close it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Properties {
  label: ComponentChildren;
  /** Read before the label, where that alone is not enough. */
  name?: string;
  children: (close: () => void) => ComponentChildren;
  class?: string;
  end?: boolean;
  up?: boolean;
  /** A form is a dialog; a list of choices is a menu. */
  form?: boolean;
  onOpen?: () => void;
  disabled?: boolean;
}

export function Menu(properties: Properties) {
  const { label, name, children, form = false, onOpen } = properties;
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const close = (back = true) => {
    setOpen(false);
    if (back) anchor.current?.querySelector<HTMLElement>(".menu-button")?.focus();
  };
  useEffect(() => {
    if (!open) return;
    onOpen?.();
    focusIn(anchor.current, 0);
    const outside = (event: PointerEvent) => {
      if (!anchor.current?.contains(event.target as Node)) close(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (event.key === "Tab" && !form) close(false);
    else if (!form && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      focusIn(anchor.current, event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
    }
  };
  return (
    <span class="menu-anchor" ref={anchor} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={`menu-button ${properties.class ?? ""}`}
        aria-haspopup={form ? "dialog" : "menu"}
        aria-expanded={open}
        disabled={properties.disabled}
        onClick={() => (open ? close(false) : setOpen(true))}
      >
        {name !== undefined && <i class="unseen">{`${name}: `}</i>}
        {label}
      </button>
      {open && (
        <div
          class={`popup ${properties.end ? "end" : ""} ${properties.up ? "up" : ""}`}
          role={form ? "dialog" : "menu"}
          aria-label={name ?? (typeof label === "string" ? label : undefined)}
        >
          {children(() => close())}
        </div>
      )}
    </span>
  );
}

const WANTED = ".popup :is(button, input, select, textarea, a):not(:disabled)";

function focusIn(anchor: HTMLElement | null, way: number): void {
  const all = [...(anchor?.querySelectorAll<HTMLElement>(WANTED) ?? [])];
  if (all.length === 0) return;
  const now = all.indexOf(document.activeElement as HTMLElement);
  const checked = all.findIndex((element) => element.getAttribute("aria-checked") === "true");
  const next = way === 0 ? Math.max(0, checked) : (now + way + all.length) % all.length;
  all[next].focus();
}

interface ItemProperties {
  children: ComponentChildren;
  onSelect: () => void;
  checked?: boolean;
  two?: boolean;
}

export function Item({ children, onSelect, checked, two = false }: ItemProperties) {
  return (
    <button
      type="button"
      class={`item ${two ? "two" : ""}`}
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={checked}
      onClick={onSelect}
    >
      {children}
    </button>
  );
}

// Hooks that several views use.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Asked } from "../link/transport";

/** The answer, or while a new one is waited for the former one, so that nothing flickers. */
export function useKept<T>(asked: Asked<T>): T | null {
  const kept = useRef<T | null>(null);
  if (asked.state === "value") kept.current = asked.value;
  else if (asked.state === "error" || asked.state === "idle") kept.current = null;
  return kept.current;
}

/** The size of an element in CSS pixels. */
export function useBox(
  box: RefObject<HTMLElement | null>,
  usual: { width: number; height: number },
) {
  const [measured, setMeasured] = useState(usual);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0)
        setMeasured((old) =>
          old.width === width && old.height === height ? old : { width, height },
        );
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return measured;
}

/** A value that follows another one after a rest. */
export function useRested<T>(value: T, milliseconds = 200): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

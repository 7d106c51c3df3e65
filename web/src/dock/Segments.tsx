// A row of buttons of which one is chosen.

interface SegmentsProperties<Key extends string> {
  label: string;
  keys: readonly Key[];
  names: Record<Key, string>;
  now: Key;
  onChoose: (key: Key) => void;
}

export function Segments<Key extends string>(given: SegmentsProperties<Key>) {
  const { label, keys, names, now, onChoose } = given;
  return (
    <span class="segments" role="group" aria-label={label}>
      {keys.map((key) => (
        <button key={key} type="button" aria-pressed={now === key} onClick={() => onChoose(key)}>
          {names[key]}
        </button>
      ))}
    </span>
  );
}

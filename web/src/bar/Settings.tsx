// The learner and its parameters, as the server describes them.
import { useState } from "preact/hooks";
import type { Choice, Settings } from "../../messages";
import { canonical } from "../state/document";
import { changeSettings, document, hello } from "../state/store";
import { words } from "../words";
import { learnersFor } from "./learners";

type Values = Record<string, unknown>;

export function SettingsForm({ close }: { close: () => void }) {
  const now = document.value?.settings ?? {};
  const [short, setShort] = useState(now.learner ?? "id3");
  const [values, setValues] = useState<Values>(now.parameters ?? {});
  const learners = learnersFor(document.value?.table.task ?? "classification");
  const learner = learners.find((other) => other.short === short);
  const changed = short !== now.learner || canonical(values) !== canonical(now.parameters ?? {});
  const submit = (event: Event) => {
    event.preventDefault();
    const settings: Settings = { ...now, learner: short, parameters: values };
    if (learner !== undefined && !learner.single) settings.start = "grown";
    if (changed) changeSettings(settings);
    close();
  };
  return (
    <form class="settings" onSubmit={submit}>
      <label class="field wide">
        <span>{words.learnerTitle}</span>
        <select
          value={short}
          onChange={(event) => {
            setShort(event.currentTarget.value);
            setValues({});
          }}
        >
          {learners.map((other) => (
            <option key={other.short} value={other.short}>
              {other.title}
            </option>
          ))}
        </select>
      </label>
      <p class="note">{learner?.summary}</p>
      <fieldset>
        <legend class="unseen">{words.settingsOf(learner?.title ?? "")}</legend>
        {learner?.parameters.map((choice) => (
          <Field
            key={`${short} ${choice.name}`}
            choice={choice}
            value={choice.name in values ? values[choice.name] : choice.default}
            onChange={(value) => setValues(withValue(values, choice, value))}
          />
        ))}
      </fieldset>
      <div class="form-end">
        <button type="button" class="link" onClick={() => setValues({})}>
          {words.defaults}
        </button>
        <span class="fill" />
        <button type="submit" class="btn dark">
          {words.apply}
        </button>
      </div>
    </form>
  );
}

/** Only what differs from the default is sent, so documents stay short. */
function withValue(values: Values, choice: Choice, value: unknown): Values {
  const { [choice.name]: _, ...others } = values;
  return canonical(value) === canonical(choice.default)
    ? others
    : { ...others, [choice.name]: value };
}

interface FieldProperties {
  choice: Choice;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Field({ choice, value, onChange }: FieldProperties) {
  return (
    <label class="field" title={choice.help}>
      <span>{choice.name}</span>
      <Input choice={choice} value={value} onChange={onChange} />
      <em class="help">{choice.help}</em>
    </label>
  );
}

function Input({ choice, value, onChange }: FieldProperties) {
  if (choice.type === "boolean") {
    return (
      <input
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (choice.type === "choice") {
    return (
      <select
        value={value === null ? "" : String(value)}
        onChange={(event) => onChange(event.currentTarget.value || null)}
      >
        {choice.optional && <option value="">{words.noLimit}</option>}
        {choice.choices.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    );
  }
  const numeric = choice.type === "integer" || choice.type === "number";
  const read = (text: string): unknown => {
    if (text === "") return choice.optional ? null : choice.default;
    return numeric ? Number(text) : text;
  };
  const shared = {
    placeholder: choice.optional ? words.noLimit : undefined,
    value: value === null || value === undefined ? "" : String(value),
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      onChange(read(event.currentTarget.value)),
  };
  if (!numeric) return <input {...shared} />;
  const step = choice.type === "integer" ? 1 : "any";
  const [min, max] = [choice.least ?? undefined, choice.most ?? undefined];
  return <input type="number" step={step} min={min} max={max} {...shared} />;
}

/** The title of a learner by its short name. */
export const titleOf = (short: string): string =>
  hello.value?.learners.find((other) => other.short === short)?.title ?? short;

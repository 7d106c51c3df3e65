// A place for a file: dropped, or chosen.
import { useState } from "preact/hooks";

interface Properties {
  text: string;
  choose: string;
  accept?: string;
  onFile: (file: File) => void;
}

export function Drop({ text, choose, accept, onFile }: Properties) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0) onFile(files[0]);
  };
  return (
    <div
      class={`dock-drop ${over ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      {text}{" "}
      <label>
        {choose}
        <input
          type="file"
          accept={accept}
          onChange={(event) => {
            take(event.currentTarget.files);
            event.currentTarget.value = "";
          }}
        />
      </label>
    </div>
  );
}

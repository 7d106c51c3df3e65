// The few pictures of the page.
import { words } from "../words";

export function Logo() {
  return (
    <span class="logo" role="img" aria-label={words.product}>
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <path
          class="stroke"
          d="M10 4v3.2M10 7.2C10 11 4.5 9 4.5 13M10 7.2C10 11 15.5 9 15.5 13"
          stroke-width="1.6"
        />
        <circle cx="10" cy="3.4" r="2" fill="currentColor" />
        <circle cx="4.5" cy="15" r="2.2" class="logo-0" />
        <circle cx="15.5" cy="15" r="2.2" class="logo-1" />
      </svg>
    </span>
  );
}

const Line = ({ d }: { d: string }) => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path class="stroke" d={d} stroke-width="1.4" />
  </svg>
);

export const UndoIcon = () => <Line d="M6 3 3 6l3 3M3.4 6H10a3.5 3.5 0 0 1 0 7H7" />;
export const RedoIcon = () => <Line d="m10 3 3 3-3 3M12.6 6H6a3.5 3.5 0 0 0 0 7h3" />;
export const ThemeIcon = () => <Line d="M8 1.8a6.2 6.2 0 1 0 6.2 6.2A4.8 4.8 0 0 1 8 1.8z" />;

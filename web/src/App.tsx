// The grid of the page: bar, stage, inspector, dock, status line.
import "./dock";
import { Dock } from "./dock/Dock";
import { Toast } from "./parts/Toast";

export function App() {
  return (
    <div class="app">
      <Dock />
      <Toast />
    </div>
  );
}

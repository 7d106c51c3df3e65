// Imports the views, which register themselves.
export { registerDock } from "./registry";

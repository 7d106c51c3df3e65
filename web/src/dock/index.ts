// Imports the views, which register themselves.
import "./Table";
import "./Regions";

export { registerDock } from "./registry";

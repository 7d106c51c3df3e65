// Imports the views, which register themselves.
import "./Table";
import "./Regions";
import "./Rules";
import "./Pruning";

export { registerDock } from "./registry";

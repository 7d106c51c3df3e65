// Imports the views, which register themselves.
import "./Table";
import "./Regions";
import "./Rules";
import "./Pruning";
import "./Quality";
import "./WhatIf";
import "./Compare";
import "./History";

export { registerDock } from "./registry";

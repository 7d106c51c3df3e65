// The studio in the browser: answers come from the server.
import { render } from "preact";
import { App } from "./App";
import { http, keepToken } from "./link/http";
import { connect } from "./link/transport";
import { fragmentParts } from "./state/address";
import "./style.css";

const { token } = fragmentParts(location.hash);
keepToken(token);
if (token !== undefined) window.history.replaceState(null, "", location.pathname);
connect(http);
const root = document.getElementById("studio");
if (root !== null) render(<App />, root);

// SPDX-License-Identifier: MIT
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./css/base.css";
import "./css/controls.css";
import "./css/home.css";
import "./css/session.css";
import "./css/diagram.css";
import "./css/panels.css";
import "./css/plots.css";
import { App } from "./app.jsx";
import { applyTheme } from "./state/theme.js";
import { watchRoute } from "./state/route.js";
import { watchService } from "./state/service.js";
import { watchKeys } from "./state/keys.js";
import { watchLeaving } from "./state/session.js";

applyTheme();
watchRoute();
watchService();
watchKeys();
watchLeaving();
const page = document.getElementById("page");
page.textContent = "";
render(<App />, page);

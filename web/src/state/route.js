// SPDX-License-Identifier: MIT
// Where we are, reported by the address: "#/" or "#/session/ID".
import { app } from "./app.js";
import { closeSession, openSession } from "./session.js";

export const goHome = () => { location.hash = "#/"; };
export const goSession = (id) => { location.hash = `#/session/${id}`; };

function follow() {
  const [, id] = /^#\/session\/([\w-]+)/.exec(location.hash) ?? [];
  app.set({ route: id ? { view: "session", id } : { view: "home" } });
  if (id) openSession(id);
  else closeSession();
}

export function watchRoute() {
  addEventListener("hashchange", follow);
  follow();
}

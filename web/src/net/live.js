// SPDX-License-Identifier: MIT
// The live stream of a run.
import { token } from "./token.js";
import { runPath, urlOf } from "./api.js";

/** Opens it; `on` has columns(names), rows(time, values), events(more), state(run), end(run),
 *  lost(): closed before the end. Returns {want(refs), close()}. */
export function openLive(sid, n, refs, on) {
  const url = new URL(urlOf(runPath(sid, n)) + "/live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const protocols = token() ? ["tutti.v1", `bearer.${token()}`] : ["tutti.v1"];
  let socket;
  try {
    socket = new WebSocket(url, protocols);
  } catch { // a token that cannot stand in a protocol's name: no stream, but results
    setTimeout(on.lost);
    return { want() {}, close() {} };
  }
  let over = false;
  let wanted = refs;
  const subscribe = () => socket.send(JSON.stringify({ variables: wanted, rate: 20, rows: 500 }));
  socket.onopen = subscribe;
  socket.onmessage = (event) => {
    const m = JSON.parse(event.data);
    if (m.type === "columns") on.columns(m.columns);
    else if (m.type === "rows") on.rows(m.time, m.values);
    else if (m.type === "events") on.events(m);
    else if (m.type === "state") on.state(m.run);
    else if (m.type === "end") { over = true; on.end(m.run); }
  };
  socket.onclose = () => { if (!over) on.lost(); };
  return {
    want(next) {
      wanted = next;
      if (socket.readyState === WebSocket.OPEN) subscribe();
    },
    close() {
      over = true;
      socket.onmessage = null;
      socket.close();
    },
  };
}

// SPDX-License-Identifier: MIT
// Connections that fit instances which came just now: taken, all or some, or left.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { app, toast, useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { connect } from "../model/scenario.js";
import { count } from "../model/number.js";
import { short } from "../state/short.js";

export function Offer() {
  const offer = useApp((s) => s.offer);
  const [left, setLeft] = useState(new Set());
  const host = useRef();
  useLayoutEffect(() => { setLeft(new Set()); if (offer) host.current?.querySelector(".primary").focus(); }, [offer]);
  if (!offer?.length) return null;
  const taken = offer.filter((c) => !left.has(c.to));
  const close = () => app.set({ offer: null });
  const take = () => {
    edit((s) => taken.reduce((now, c) => connect(now, c.from, c.to), s));
    toast(`${count(taken.length, "connection")} made; undo goes back.`);
    close();
  };
  const toggle = (c) => setLeft((old) => { const next = new Set(old); if (!next.delete(c.to)) next.add(c.to); return next; });
  return (
    <section class="offer" ref={host} aria-label="connections that fit" onPointerDown={(e) => e.stopPropagation()}
      onKeyDown={(e) => { if (e.key === "Escape") { e.stopPropagation(); close(); } }}>
      <h2>{offer.length === 1 ? "A connection fits" : `${offer.length} connections fit`}</h2>
      <ul tabIndex={0}>
        {offer.map((c) => <li key={c.to}><label><input type="checkbox" checked={!left.has(c.to)} onChange={() => toggle(c)} /><span>{short(c.from)} → {short(c.to)}</span><small class="faint">{c.why}</small></label></li>)}
      </ul>
      <div class="row"><button type="button" class="primary" disabled={!taken.length} onClick={take}>Connect</button><button type="button" class="quiet" onClick={close}>Not now</button></div>
    </section>
  );
}

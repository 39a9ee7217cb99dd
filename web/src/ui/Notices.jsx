// SPDX-License-Identifier: MIT
// What the page shows by itself: to eyes, and to those who listen.
import { dismiss, useApp } from "../state/app.js";
import { short } from "../state/short.js";
import { Icon } from "./Icon.jsx";

export function Gone() {
  const gone = useApp((s) => s.gone);
  return gone ? <div class="gone" role="alert">The service does not answer. Your edits are kept here; trying again…</div> : null;
}

export function Toasts() {
  const toasts = useApp((s) => s.toasts);
  return (
    <div class="toasts">
      {toasts.map((t) => (
        <div key={t.id} class={`toast ${t.kind}`} role={t.kind === "error" ? "alert" : "status"}>
          <span>{short(t.text)}</span>
          <button type="button" class="tool" aria-label="close" onClick={() => dismiss(t.id)}><Icon name="close" size={14} /></button>
        </div>
      ))}
    </div>
  );
}

export function Announcement() {
  const announcement = useApp((s) => s.announcement);
  return <div class="announcement" role="status" aria-live="polite">{short(announcement)}</div>;
}

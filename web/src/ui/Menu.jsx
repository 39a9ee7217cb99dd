// SPDX-License-Identifier: MIT
// A button with a list below it. Arrow keys walk, Escape closes.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAway } from "./away.js";
import { Icon } from "./Icon.jsx";

/** items: [{label, act}] or [{label, href, download}] */
export function Menu({ icon, label, title = label, items, align = "right" }) {
  const [open, setOpen] = useState(false);
  const host = useRef();
  useLayoutEffect(() => { if (open) host.current.querySelector("[role=menuitem]")?.focus(); }, [open]);
  useAway(host, open, () => setOpen(false));
  const close = () => { setOpen(false); host.current.querySelector("button").focus(); };
  const keys = (e) => {
    if (!open) return;
    const all = [...host.current.querySelectorAll("[role=menuitem]")];
    const at = all.indexOf(document.activeElement);
    if (e.key === "Escape") close();
    else if (e.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (e.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const choose = (item) => { close(); item.act?.(); };
  return (
    <div class={`menu ${align}`} ref={host} onKeyDown={keys}>
      <button type="button" class={label ? "quiet" : "tool"} {...(label ? {} : { title, "aria-label": title })} aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={icon} size={label ? 18 : 15} />{label}
      </button>
      {open && (
        <ul role="menu" aria-label={title}>
          {items.map((item) => (
            <li key={item.label} role="none">
              <button type="button" role="menuitem" tabIndex={-1} onClick={() => choose(item)}>{item.label}</button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

// SPDX-License-Identifier: MIT
// A name that becomes a field when it is pressed: Enter keeps, Escape leaves it.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function Rename({ name, what, empty = "untitled", onRename }) {
  const [open, setOpen] = useState(false);
  const field = useRef(), button = useRef();
  const had = useRef(false);
  useLayoutEffect(() => { // at once: keys may follow
    if (open) field.current.select();
    else if (had.current) button.current.focus();
    had.current = open;
  }, [open]);
  const done = useRef(false); // a field that goes is left as well
  const end = (text) => {
    if (done.current) return;
    done.current = true;
    setOpen(false);
    if (text && text !== name) onRename(text);
  };
  const keys = (e) => {
    if (e.key === "Enter") end(e.target.value.trim());
    else if (e.key === "Escape") end(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  if (open) return <input ref={field} class="rename" type="text" maxLength={100} aria-label={`name of ${what}`} defaultValue={name} onKeyDown={keys} onBlur={(e) => end(e.target.value.trim())} />;
  return <button ref={button} type="button" class="named" title="Rename" aria-label={`${name || empty}, rename ${what}`} onClick={() => { done.current = false; setOpen(true); }}>{name || empty}</button>;
}

// SPDX-License-Identifier: MIT
// Fields that tell the world only what is valid, when it is finished.
import { useEffect, useState } from "preact/hooks";

/** A text that becomes a value: on Enter, or when it is left. `parse` throws a
 *  sentence; an empty text is undefined, "as by default". */
export function Entry({ id, value, placeholder, parse, onChange, label, list }) {
  const [text, setText] = useState(value ?? "");
  const [wrong, setWrong] = useState(null);
  useEffect(() => { setText(value ?? ""); setWrong(null); }, [value]);
  // what stands in the field, which may be newer than what was drawn last
  const tell = ({ target }) => {
    const said = target.value;
    if (said === String(value ?? "")) { setWrong(null); return; }
    if (said.trim() === "") { setWrong(null); onChange(undefined); return; }
    try {
      onChange(parse(said));
      setWrong(null);
    } catch (e) {
      setWrong(e.message);
    }
  };
  return (
    <span class="entry">
      <input id={id} type="text" value={text} placeholder={placeholder} aria-label={label} list={list} spellcheck={false} autocomplete="off"
        aria-invalid={wrong ? "true" : undefined} title={wrong ?? undefined}
        onInput={(e) => setText(e.target.value)} onBlur={tell}
        onKeyDown={(e) => { if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) tell(e); else if (e.key === "Escape") { setText(value ?? ""); setWrong(null); } }} />
      {wrong && <span class="wrong" role="alert">{wrong}</span>}
    </span>
  );
}

export function positive(text) {
  const n = Number(text);
  if (!(n > 0) || !Number.isFinite(n)) throw new Error("a number above 0 is wanted");
  return n;
}
export function number(text) {
  const n = Number(text);
  if (!Number.isFinite(n)) throw new Error("a number is wanted");
  return n;
}

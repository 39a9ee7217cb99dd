// SPDX-License-Identifier: MIT
// Fields that tell the world only what is valid, when it is finished.
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { draftOf, dropDraft, keepDraft } from "../state/drafts.js";

/** A text that becomes a value: on Enter, or when it is left. `parse` throws a
 *  sentence; an empty text is undefined, "as by default". What is no value stays
 *  as a draft: `what` names it, `at` says where it is, `scope` what it hinders. */
export function Entry({ id, value, placeholder, parse, onChange, label, list, what = label, at, scope = "run" }) {
  const key = id ?? label;
  const [text, setText] = useState(value ?? "");
  const wrong = useApp((s) => s.drafts[key]?.message ?? null);
  const kept = wrong !== null;
  useEffect(() => {
    const draft = draftOf(key);
    if (draft && draft.of === value) { setText(draft.text); return; }
    dropDraft(key);
    setText(value ?? "");
  }, [key, value, kept]);
  useEffect(() => () => { if (scope !== "run") dropDraft(key); }, [key, scope]);
  // what stands in the field, which may be newer than what was drawn last
  const tell = ({ target }) => {
    const said = target.value;
    if (said === String(value ?? "")) { dropDraft(key); return; }
    if (said.trim() === "") { dropDraft(key); onChange(undefined); return; }
    try {
      const next = parse(said);
      dropDraft(key);
      onChange(next);
    } catch (e) {
      keepDraft(key, { text: said, message: e.message, what, of: value, scope, ...at });
    }
  };
  return (
    <span class="entry">
      <input id={id} type="text" value={text} placeholder={placeholder} aria-label={label} list={list} spellcheck={false} autocomplete="off"
        aria-invalid={wrong ? "true" : undefined} title={wrong ?? undefined}
        onInput={(e) => setText(e.target.value)} onBlur={tell}
        onKeyDown={(e) => { if (e.key === "Enter") tell(e); else if (e.key === "Escape") { setText(value ?? ""); dropDraft(key); } }} />
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

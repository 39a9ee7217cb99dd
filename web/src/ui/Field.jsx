// SPDX-License-Identifier: MIT
// Fields that pass on only what is valid, when it is finished.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { draftOf, dropDraft, keepDraft } from "../state/drafts.js";

/** A text that becomes a value: on Enter, or when it is left. `parse` throws a
 *  sentence; an empty text is undefined, "as by default". What is no value stays
 *  as a draft: `what` names it, `at` states where it is, `scope` what it hinders. */
export function Entry({ id, value, placeholder, parse, onChange, label, list, what = label, at, scope = "run" }) {
  const key = id ?? label;
  const [text, setText] = useState(value ?? "");
  const wrong = useApp((s) => s.drafts[key]?.message ?? null);
  const kept = wrong !== null;
  // at once: after a pause it would overwrite what was typed since
  useLayoutEffect(() => {
    const draft = draftOf(key);
    if (draft && draft.of === value) { setText(draft.text); return; }
    dropDraft(key);
    setText(value ?? "");
  }, [key, value, kept]);
  useEffect(() => () => { if (scope !== "run") dropDraft(key); }, [key, scope]);
  // what stands in the field, which may be newer than what was drawn last
  const notify = ({ target }) => {
    const typed = target.value;
    if (typed === String(value ?? "")) { dropDraft(key); return; }
    if (typed.trim() === "") { dropDraft(key); onChange(undefined); return; }
    try {
      const next = parse(typed);
      dropDraft(key);
      onChange(next);
    } catch (e) {
      keepDraft(key, { text: typed, message: e.message, what, of: value, scope, ...at });
    }
  };
  return (
    <span class="entry">
      <input id={id} type="text" value={text} placeholder={placeholder} aria-label={label} list={list} spellcheck={false} autocomplete="off"
        aria-invalid={wrong ? "true" : undefined} title={wrong ?? undefined}
        onInput={(e) => setText(e.target.value)} onBlur={notify}
        onKeyDown={(e) => { if (e.key === "Enter") notify(e); else if (e.key === "Escape") { setText(value ?? ""); dropDraft(key); } }} />
      {wrong && <span class="wrong" role="alert">{wrong}</span>}
    </span>
  );
}

export function positive(text) {
  const n = Number(text);
  if (!(n > 0) || !Number.isFinite(n)) throw new Error("enter a number above 0");
  return n;
}
export function number(text) {
  const n = Number(text);
  if (!Number.isFinite(n)) throw new Error("enter a number");
  return n;
}

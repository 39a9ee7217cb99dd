// SPDX-License-Identifier: MIT
// What is known of the system: settings whose results violate it are not chosen.
import { useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { edit } from "../state/session.js";
import { HINTS, hintsOf, withHint, withoutHint } from "../model/study.js";
import { Icon } from "../ui/Icon.jsx";

export function Hints() {
  const hints = hintsOf(useApp((s) => s.history.present));
  const [form, setForm] = useState({ family: "always", text: "" });
  const submit = (e) => {
    e.preventDefault();
    if (!form.text.trim()) return;
    edit((s) => withHint(s, form.family, form.text.trim()));
    setForm({ ...form, text: "" });
  };
  return (
    <section class="hints" aria-label="hints">
      <h3>What is known of the system</h3>
      {hints.length > 0 && (
        <ul>
          {hints.map((words, i) => (
            <li key={i}><code>{words}</code><button type="button" class="tool" aria-label={`remove hint ${i + 1}`} onClick={() => edit((s) => withoutHint(s, i))}><Icon name="close" size={13} /></button></li>
          ))}
        </ul>
      )}
      <form onSubmit={submit}>
        <select aria-label="hint" value={form.family} onChange={(e) => setForm({ ...form, family: e.target.value })}>
          {HINTS.map((f) => <option key={f}>{f}</option>)}
        </select>
        <input type="text" aria-label="condition" placeholder="{key}.instance.x > 0" spellcheck={false} autocomplete="off" value={form.text} onInput={(e) => setForm({ ...form, text: e.target.value })} />
        <button type="submit" class="quiet" disabled={!form.text.trim()}>Add</button>
      </form>
    </section>
  );
}

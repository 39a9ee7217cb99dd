// SPDX-License-Identifier: MIT
// How an instance is used otherwise than as its FMU is made: clauses as forms, and the
// program they stand for.
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { edit, sid } from "../state/session.js";
import { CLAUSES, clausesOf, formProblem, programOf, setClauses } from "../model/adapt.js";
import { textOf } from "../model/text.js";
import { family } from "../model/variables.js";
import { postText, sessionPath } from "../net/api.js";
import { Icon } from "../ui/Icon.jsx";

const WORD = /^[A-Za-z_]\w*$/;

function Field({ field: [name, label, kind, needed], block, value, onChange }) {
  const id = `a-${name}`;
  const ports = [...(kind === "output" ? [] : block.inputs), ...(kind === "input" ? [] : block.outputs)].filter((p) => WORD.test(p.name) && family(p.variable?.type) === "number");
  return (
    <div class="setting amount">
      <label for={id}>{label}</label>
      {["variable", "input", "output"].includes(kind)
        ? <select id={id} value={value ?? ""} onChange={(e) => onChange(e.target.value)}><option value="">choose</option>{ports.map((p) => <option key={p.name} value={p.name}>{p.name}</option>)}</select>
        : <input id={id} type="text" value={value ?? ""} placeholder={needed ? "" : "as it is"} onInput={(e) => onChange(e.target.value)} />}
    </div>
  );
}

function Program({ unit, scenario }) {
  const [text, setText] = useState("…");
  useEffect(() => {
    let here = true;
    postText(`${sessionPath(sid())}/explicit`, textOf(scenario)).then((t) => here && setText(programOf(t, unit))).catch((e) => here && setText(e.message));
    return () => { here = false; };
  }, [unit, scenario]);
  return <pre class="program" tabIndex={0} aria-label="the program these clauses stand for">{text}</pre>;
}

export function Adaptations({ block }) {
  const scenario = useApp((s) => s.history.present);
  const [kind, setKind] = useState("");
  const [values, setValues] = useState({});
  const [shown, setShown] = useState(false);
  const clauses = clausesOf(scenario, block.unit);
  const put = (next) => edit((s) => setClauses(s, block.unit, next));
  const form = CLAUSES.find((c) => c.id === kind);
  const problem = form && formProblem(form, values);
  const choose = (id) => { setKind(id); setValues({}); };
  const add = (e) => {
    e.preventDefault();
    if (problem) return;
    put([...clauses, form.put(values)]);
    choose("");
  };
  return (
    <section aria-label="adaptations" class="adaptations">
      <h3>Adaptations</h3>
      <ol>
        {clauses.map((c, i) => <li key={`${i} ${c}`}><code>{c}</code><button type="button" class="tool" aria-label={`remove ${c}`} onClick={() => put(clauses.filter((_, k) => k !== i))}><Icon name="close" size={13} /></button></li>)}
      </ol>
      <form onSubmit={add}>
        <select aria-label="add an adaptation" value={kind} onChange={(e) => choose(e.target.value)}>
          <option value="">Add an adaptation…</option>
          {CLAUSES.map((c) => <option key={c.id} value={c.id}>{c.title}</option>)}
        </select>
        {form && (
          <>
            <p class="faint">{form.note}</p>
            {form.fields.map((f) => <Field key={f[0]} field={f} block={block} value={values[f[0]]} onChange={(v) => setValues({ ...values, [f[0]]: v })} />)}
            <div class="row"><button type="submit" class="quiet" disabled={Boolean(problem)}>Add</button><span class="faint">{problem ?? <code>{form.put(values)}</code>}</span></div>
          </>
        )}
      </form>
      {clauses.length > 0 && <button type="button" class="chip" aria-expanded={shown} onClick={() => setShown(!shown)}>{shown ? "hide the program" : "as a program"}</button>}
      {shown && clauses.length > 0 && <Program unit={block.unit} scenario={scenario} />}
    </section>
  );
}

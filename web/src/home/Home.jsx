// SPDX-License-Identifier: MIT
// The first view: start from an example, from files, or where you were.
import { useEffect, useRef, useState } from "preact/hooks";
import { toast, useApp } from "../state/app.js";
import { get, post, remove, sessionPath } from "../net/api.js";
import { newFromExample, sessionFromFiles } from "../state/files.js";
import { goSession } from "../state/route.js";
import { count, showBytes } from "../model/number.js";
import { Icon } from "../ui/Icon.jsx";
import { ThemeButton } from "../ui/ThemeButton.jsx";
import { useDrop } from "../ui/Drop.jsx";
import { Logo } from "../ui/Logo.jsx";
import { Remove } from "../ui/Remove.jsx";

const reported = (promise) => promise.catch((e) => { if (e.status !== 401) toast(e.message, "error"); });

/** Files become a session; meanwhile, how far they are. */
function useFiles() {
  const [busy, setBusy] = useState(null);
  const take = async (files) => {
    if (!files.length) return;
    setBusy({ name: "", part: 0 });
    await reported(sessionFromFiles(files, (name, part) => setBusy({ name, part })));
    setBusy(null);
  };
  return [busy, take];
}

function DropZone({ over, busy, take }) {
  const chooser = useRef();
  const limit = useApp((s) => s.service?.limits?.upload);
  return (
    <div class={`dropzone ${over ? "over" : ""}`}>
      <Icon name="drop" size={28} />
      {busy ? <p role="status">Sending {busy.name} <progress value={busy.part} /></p> : (
        <p><b>Drop FMUs and a scenario, or an SSP</b>FMUs alone are fine too: you connect them here.{limit ? ` Up to ${showBytes(limit)} in all.` : ""}</p>
      )}
      <span class="row">
        <button type="button" class="primary" onClick={() => chooser.current.click()}>Choose files</button>
        <button type="button" class="quiet" onClick={() => reported(post("/sessions", { name: "untitled" }).then((s) => goSession(s.id)))}>Start empty</button>
      </span>
      <input ref={chooser} type="file" multiple hidden accept=".fmu,.csv,.json,.ssp,.ssd,.msim,.xml" aria-label="FMUs, tables, a scenario or a system structure" onChange={(e) => { take([...e.target.files]); e.target.value = ""; }} />
    </div>
  );
}

const WORDS = { fmi1: "FMI 1", fmi3: "FMI 3", cosimulation: "co-simulation", variable: "variable steps" };
/** "scenario-variable.json" for people. */
function nice(file) {
  const name = file.replace(/\.json$/, "").replace(/^scenario-?/, "");
  return WORDS[name] ?? (name || "open");
}
/** Summaries come from Markdown. */
const plain = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]/g, "");

function Example({ example }) {
  const [first, ...others] = [...example.scenarios].sort((a, b) => (b === "scenario.json") - (a === "scenario.json"));
  const open = (scenario) => reported(newFromExample(example.name, scenario));
  return (
    <li class="card">
      <button type="button" class="card-main" onClick={() => open(first)}>
        <b>{example.title}</b>
        <span>{plain(example.summary)}</span>
      </button>
      {others.length > 0 && (
        <span class="variants">{others.map((s) => <button key={s} type="button" class="chip" aria-label={`${example.title}, ${nice(s)}`} onClick={() => open(s)}>{nice(s)}</button>)}</span>
      )}
    </li>
  );
}

const FEW = 12; // sessions at first
const GENTLE = ["water-tank", "double-mass-spring-damper", "bouncing-ball"]; // those to begin with
const gentleFirst = (examples) => [...GENTLE.flatMap((n) => examples.filter((e) => e.name === n)), ...examples.filter((e) => !GENTLE.includes(e.name))];

const when = (iso) => new Date(iso).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

function Recent({ session, onGone }) {
  const drop = () => reported(remove(sessionPath(session.id)).then(onGone));
  return (
    <li class="recent">
      <a href={`#/session/${session.id}`}>
        <b>{session.name || "untitled"}</b>
        <span>{when(session.created)}, {count(session.runs?.length ?? 0, "run")}, {count(session.files?.length ?? 0, "file")}</span>
      </a>
      <Remove what={`session ${session.name || "untitled"}`} title="Remove this session and its runs" onRemove={drop} />
    </li>
  );
}

const LITTLE = 100 * 1024 * 1024; // bytes; a run may want more

/** Where work is kept, and whether there is room. */
function Storage() {
  const storage = useApp((s) => s.service?.storage);
  if (!storage) return null;
  const { folder, kept, free } = storage;
  return (
    <>
      {kept ? folder && <p class="faint kept">Kept in <code>{folder}</code></p>
        : <p class="warned">Kept only until the service ends: it has no lasting folder. Start it with <code>--dir FOLDER</code>.</p>}
      {free != null && free < LITTLE && <p class="warned">The disk is {free ? `almost full: ${showBytes(free)} left` : "full"}. Remove runs or sessions you no longer need.</p>}
    </>
  );
}

/** A list of the service, again when it is back. */
function useList(path) {
  const [list, setList] = useState(null);
  const [turn, setTurn] = useState(0);
  const gone = useApp((s) => s.gone || Boolean(s.tokenWanted));
  useEffect(() => {
    let here = true;
    if (!gone) get(path).then((l) => here && setList(l)).catch((e) => { if (e.status > 0 && e.status !== 401) toast(e.message, "error"); });
    return () => { here = false; };
  }, [path, turn, gone]);
  return [list, () => setTurn((n) => n + 1)];
}

export function Home() {
  const [examples] = useList("/examples");
  const [sessions, again] = useList("/sessions");
  const version = useApp((s) => s.service?.version);
  const [busy, take] = useFiles();
  const [over, drops] = useDrop(take);
  const [all, setAll] = useState(false);
  const sorted = [...(sessions ?? [])].sort((a, b) => (a.created < b.created ? 1 : -1));
  const recent = all ? sorted : sorted.slice(0, FEW);
  useEffect(() => { document.title = "Tutti"; }, []);
  return (
    <div class="home" {...drops}>
      <header class="hero">
        <Logo />
        <div>
          <h1>Tutti</h1>
          <p>Couple simulation models, run them together, see what they do.</p>
        </div>
        <span class="spring" />
        {version && <span class="faint">version {version}</span>}
        <ThemeButton />
      </header>
      <main>
        <div class="start">
          <DropZone over={over} busy={busy} take={take} />
          <section aria-labelledby="recent-title">
            <h2 id="recent-title">Recent sessions</h2>
            {recent.length ? <ul class="recents">{recent.map((s) => <Recent key={s.id} session={s} onGone={again} />)}</ul>
              : <p class="faint">{sessions ? "None yet. What you open stays here." : "…"}</p>}
            {sorted.length > recent.length && <button type="button" class="quiet" onClick={() => setAll(true)}>Show all {sorted.length}</button>}
            <Storage />
          </section>
        </div>
        <section aria-labelledby="examples-title">
          <h2 id="examples-title">Start from an example</h2>
          <ul class="cards">{gentleFirst(examples ?? []).map((e) => <Example key={e.name} example={e} />)}</ul>
        </section>
      </main>
    </div>
  );
}

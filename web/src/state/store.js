// SPDX-License-Identifier: MIT
// One value that changes, and who wants to know.
import { useEffect, useReducer, useRef } from "preact/hooks";

export function createStore(initial) {
  let state = initial;
  const listeners = new Set();
  return {
    get: () => state,
    set(patch) {
      state = { ...state, ...(typeof patch === "function" ? patch(state) : patch) };
      for (const notify of [...listeners]) notify();
    },
    subscribe(notify) {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
  };
}

function same(a, b) {
  if (Object.is(a, b)) return true;
  if (!a || !b || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.is(a[k], b[k]));
}

/** What `select` takes from the store; renders again when that changes. */
export function useStore(store, select) {
  const [, again] = useReducer((n) => n + 1, 0);
  const latest = useRef();
  const chosen = select(store.get());
  if (!same(latest.current, chosen)) latest.current = chosen;
  const chooser = useRef(select);
  chooser.current = select;
  useEffect(() => {
    const look = () => { if (!same(latest.current, chooser.current(store.get()))) again(); };
    look();
    return store.subscribe(look);
  }, [store]);
  return latest.current;
}

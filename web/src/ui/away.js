// SPDX-License-Identifier: MIT
// What is open closes when the user goes elsewhere, by pointer or by focus.
import { useEffect } from "preact/hooks";

export function useAway(host, open, close) {
  useEffect(() => {
    if (!open) return undefined;
    const away = (e) => { if (!host.current.contains(e.target)) close(); };
    addEventListener("pointerdown", away, true);
    addEventListener("focusin", away);
    return () => { removeEventListener("pointerdown", away, true); removeEventListener("focusin", away); };
  }, [open]);
}

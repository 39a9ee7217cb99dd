// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { tryToken } from "../state/service.js";

export function TokenPrompt() {
  const dialog = useRef();
  const [text, setText] = useState("");
  const refused = useApp((s) => s.tokenWanted === "refused");
  useEffect(() => { dialog.current.showModal(); }, []);
  const send = (e) => {
    e.preventDefault();
    if (text.trim()) tryToken(text.trim());
  };
  return (
    <dialog ref={dialog} class="token" aria-labelledby="token-title" onCancel={(e) => e.preventDefault()}>
      <form onSubmit={send}>
        <h2 id="token-title">This service needs a token</h2>
        <p>It was given to <code>tutti serve --token</code>. The page keeps it until you close this tab.</p>
        <input type="password" autofocus autocomplete="off" aria-label="token" value={text} onInput={(e) => setText(e.target.value)} />
        {refused && <p class="wrong" role="alert">The service does not take this one.</p>}
        <button type="submit" class="primary" disabled={!text.trim()}>Go on</button>
      </form>
    </dialog>
  );
}

// SPDX-License-Identifier: MIT
// What cannot be undone is asked for twice: the button becomes the question, until
// the focus is elsewhere.
import { useState } from "preact/hooks";
import { Icon } from "./Icon.jsx";

export function Remove({ what, title, onRemove }) {
  const [asked, setAsked] = useState(false);
  return (
    <button type="button" class={asked ? "quiet danger sure" : "tool"} aria-label={asked ? `really remove ${what}?` : `remove ${what}`} title={title}
      onClick={() => (asked ? onRemove() : setAsked(true))} onBlur={() => setAsked(false)} onMouseLeave={() => setAsked(false)}>
      {asked ? "Remove?" : <Icon name="trash" size={16} />}
    </button>
  );
}

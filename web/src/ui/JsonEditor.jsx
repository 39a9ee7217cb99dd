// SPDX-License-Identifier: MIT
// A text of JSON with numbers of lines and colours. Colours lie behind a field whose own
// letters are not seen, so that all that browsers know of fields stays.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { highlight } from "../model/highlight.js";

/** `marks`: line -> "error" or "warning". `area`: gets the field. */
export function JsonEditor({ text, label, invalid, marks, area, onInput }) {
  const lines = useRef(), paint = useRef(), own = useRef();
  const field = area ?? own;
  const n = useMemo(() => text.split("\n").length, [text]);
  const html = useMemo(() => highlight(text), [text]);
  const follow = () => {
    lines.current.scrollTop = paint.current.scrollTop = field.current.scrollTop;
    paint.current.scrollLeft = field.current.scrollLeft;
  };
  useLayoutEffect(follow, [text]);
  return (
    <div class="editor">
      <div class="numbers" ref={lines} aria-hidden="true">{Array.from({ length: n }, (_, i) => <div key={i} class={marks?.get(i + 1) ? `is-${marks.get(i + 1)}` : ""}>{i + 1}</div>)}</div>
      <div class="sheet">
        <pre ref={paint} aria-hidden="true" dangerouslySetInnerHTML={{ __html: `${html}\n` }} />
        <textarea ref={field} aria-label={label} spellcheck={false} wrap="off" autocapitalize="off" value={text} aria-invalid={invalid ? "true" : undefined} onInput={onInput} onScroll={follow} />
      </div>
    </div>
  );
}

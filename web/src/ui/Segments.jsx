// SPDX-License-Identifier: MIT
// A few choices side by side. As tabs (with `panel`) or as radio buttons.
export function Segments({ label, options, value, onChange, panel }) {
  const move = (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const at = options.findIndex((o) => o[0] === value);
    const next = options[(at + step + options.length) % options.length];
    onChange(next[0]);
    e.currentTarget.querySelector(`[data-value="${next[0]}"]`)?.focus();
  };
  return (
    <div class="segments" role={panel ? "tablist" : "radiogroup"} aria-label={label} onKeyDown={move}>
      {options.map(([key, text]) => (
        <button key={key} type="button" data-value={key} role={panel ? "tab" : "radio"} aria-controls={panel} tabIndex={key === value ? 0 : -1}
          {...{ [panel ? "aria-selected" : "aria-checked"]: key === value }} onClick={() => onChange(key)}>{text}</button>
      ))}
    </div>
  );
}

// SPDX-License-Identifier: MIT
import { placeOf } from "../model/blocks.js";
import { short } from "../state/short.js";
import { describe } from "../model/variables.js";
import { Icon } from "../ui/Icon.jsx";

function Port({ port, side, state, trouble, source, on }) {
  const words = [port.name, side === "in" ? "input" : "output", describe(port.variable), source].filter(Boolean).join(", ");
  return (
    <button type="button" class={`port ${side} ${state} ${trouble ? `is-${trouble}` : ""} ${port.connected ? "connected" : ""}`}
      data-side={side} data-port={port.ref} aria-label={words}
      onPointerDown={(e) => on.portDown(e, port, side)} onKeyDown={(e) => on.portKey(e, port, side)}
      onPointerEnter={() => on.hint(port, side)} onPointerLeave={() => on.hint(null)}
      onFocus={() => on.hint(port, side)} onBlur={() => on.hint(null)}>
      <span class="dot" aria-hidden="true" />
      <span class="name">{port.name}</span>
    </button>
  );
}

/** What is wrong with a block: {level, messages, loud}. */
export function wrongWith(block, trouble) {
  const level = block.error ? "error" : trouble?.level;
  const messages = [...(block.error ? [block.error] : []), ...(trouble?.messages ?? [])];
  return { level, messages, loud: messages.length > 0 && (level === "error" || Boolean(trouble?.loud)) };
}

export function Block({ box, selected, trouble, troubles, stateOf, sourceOf, expanded, on }) {
  const { block, size } = box;
  const { level, messages } = wrongWith(block, trouble);
  const model = block.info?.modelName ?? placeOf(block) ?? "?";
  const shown = model === block.instance ? block.info?.description ?? model : model;
  return (
    <div class={`block ${selected ? "selected" : ""} ${level ? `is-${level}` : ""}`} data-unit={block.unit} role="group" aria-label={`instance ${block.name}`}
      style={{ transform: `translate(${box.x}px, ${box.y}px)`, width: `${size.width}px`, height: `${size.height}px` }}>
      <button type="button" class="block-head" aria-pressed={selected} aria-label={`${block.name} ${shown}, instance${messages.length ? `, ${short(messages[0])}` : ""}`}
        onPointerDown={(e) => on.headDown(e, block)} onKeyDown={(e) => on.headKey(e, block)} onClick={() => on.select(block)}>
        <span class="title">{block.name}</span>{" "}
        <span class="model">{shown}</span>
        {level && <span class="badge" aria-hidden="true"><Icon name="alert" size={14} /></span>}
      </button>
      <div class="ports">
        <div class="side">{size.inputs.map((p) => <Port key={p.ref} port={p} side="in" state={stateOf("in", p)} trouble={troubles.get(p.ref)} source={sourceOf(p)} on={on} />)}</div>
        <div class="side right">{size.outputs.map((p) => <Port key={p.ref} port={p} side="out" state={stateOf("out", p)} trouble={troubles.get(p.ref)} on={on} />)}</div>
      </div>
      {size.foldable && <button type="button" class="more" aria-expanded={expanded} onClick={() => on.fold(block)}>{expanded ? "show fewer ports" : `${size.hidden} more ports`}</button>}
    </div>
  );
}

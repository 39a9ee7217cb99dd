// SPDX-License-Identifier: MIT
// How large a block is and where its ports sit, known before it is drawn, so
// that the layout and the wires need not ask the browser.
import { visiblePorts } from "../model/blocks.js";

export const HEAD = 44, ROW = 22, PAD = 8, LIMIT = 14;
const CHAR = 7.4, LEAST = 150, MOST = 340;

const longest = (ports) => ports.reduce((n, p) => Math.max(n, p.name.length), 0);

export function measure(block, expanded) {
  const inputs = visiblePorts(block.inputs, LIMIT, expanded);
  const outputs = visiblePorts(block.outputs, LIMIT, expanded);
  const rows = Math.max(inputs.shown.length, outputs.shown.length, 1);
  const hidden = inputs.hidden + outputs.hidden;
  const names = (longest(inputs.shown) + longest(outputs.shown)) * CHAR + 62;
  const title = block.name.length * 9 + 50;
  const width = Math.round(Math.min(MOST, Math.max(LEAST, names, title)));
  const foldable = hidden > 0 || expanded;
  return { width, height: HEAD + rows * ROW + PAD + (foldable ? ROW : 0), inputs: inputs.shown, outputs: outputs.shown, hidden, foldable };
}

/** Where wires meet the block, from its corner. */
export const anchor = (size, side, index) => ({ x: side === "in" ? 0 : size.width, y: HEAD + index * ROW + ROW / 2 });

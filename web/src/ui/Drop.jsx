// SPDX-License-Identifier: MIT
// A place to drop files on.
import { useState } from "preact/hooks";

const hasFiles = (e) => [...(e.dataTransfer?.types ?? [])].includes("Files");

export function useDrop(onFiles) {
  const [over, setOver] = useState(false);
  return [over, {
    onDragOver(e) { if (hasFiles(e)) { e.preventDefault(); setOver(true); } },
    onDragLeave(e) { if (!e.currentTarget.contains(e.relatedTarget)) setOver(false); },
    onDrop(e) {
      if (!hasFiles(e)) return;
      e.preventDefault();
      setOver(false);
      onFiles(e.dataTransfer.files);
    },
  }];
}

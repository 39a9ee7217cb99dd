// SPDX-License-Identifier: MIT
// A drawing as a file: SVG as it is, PNG twice as fine.
import { toast } from "../state/app.js";
import { saveBlob } from "./download.js";

export const saveSvg = (svg, name) => saveBlob(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`);

export async function savePng(svg, name) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    saveBlob(await new Promise((ok) => canvas.toBlob(ok, "image/png")), `${name}.png`);
  } catch {
    toast("The picture could not be made.", "error");
  } finally {
    URL.revokeObjectURL(url);
  }
}

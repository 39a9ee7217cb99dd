// SPDX-License-Identifier: MIT
// A chart that is as wide as its place.
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../state/app.js";
import { ink } from "../plots/style.js";
import { drawing } from "../plots/svg.js";

/** `what`: all but size and pen of a drawing; `label`: the same in words. */
export function Chart({ label, height, what, ...more }) {
  const host = useRef();
  const [size, setSize] = useState(null);
  useApp((s) => s.dark);
  useEffect(() => {
    const el = host.current;
    const watch = new ResizeObserver(() => setSize([el.clientWidth, el.clientHeight]));
    watch.observe(el);
    return () => watch.disconnect();
  }, []);
  const svg = size && size[0] > 0 ? drawing({ width: size[0], height: height ?? Math.max(80, size[1]), pen: ink(), ...what }) : "";
  return <div class="svg-chart" {...more} ref={host} role="img" aria-label={label} dangerouslySetInnerHTML={{ __html: svg }} />;
}

// SPDX-License-Identifier: MIT
/** Three voices that meet. */
export function Logo({ size = 40 }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <g><path d="M6 11c4 0 4 5 8 5s4-5 12-5" /><path d="M6 16h20" class="soft" /><path d="M6 21c4 0 4-5 8-5s4 5 12 5" /></g>
    </svg>
  );
}

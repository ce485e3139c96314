/** How stones are painted. */

/** Gradients that all boards share; drawn once in the page. */
export function Paints() {
  return (
    <svg class="unseen" aria-hidden="true" focusable="false" width="0" height="0">
      <defs>
        <radialGradient id="paint-black" cx="0.36" cy="0.3" r="0.75">
          <stop offset="0" stop-color="#6a6f78" />
          <stop offset="0.28" stop-color="#34373d" />
          <stop offset="0.75" stop-color="#17181b" />
          <stop offset="1" stop-color="#0b0b0d" />
        </radialGradient>
        <radialGradient id="paint-white" cx="0.38" cy="0.32" r="0.8">
          <stop offset="0" stop-color="#ffffff" />
          <stop offset="0.55" stop-color="#f7f5ef" />
          <stop offset="0.85" stop-color="#e2ded3" />
          <stop offset="1" stop-color="#c3bdae" />
        </radialGradient>
        <radialGradient id="paint-shadow">
          <stop offset="0.7" stop-color="#2a1a05" stop-opacity="0.5" />
          <stop offset="1" stop-color="#2a1a05" stop-opacity="0" />
        </radialGradient>
      </defs>
    </svg>
  );
}

export const Brand = () => (
  <div className="brand">
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="brand-tile" />
      <path d="M9 17l5 5 9-12" className="brand-tick" />
    </svg>
    <span>
      Attest <span className="brand-part">control panel</span>
    </span>
  </div>
)

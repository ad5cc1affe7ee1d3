// Loaded together: the script before the first page has no room for what each would need by itself.
export { DisposalPage } from './disposal-page.tsx'
export { DisposalsPage } from './disposals-page.tsx'
export { DuePage } from './due-page.tsx'
export { HoldsPage } from './holds-page.tsx'

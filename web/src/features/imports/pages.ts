// Both pages come together: who reads the list goes on to one of them, and the first page of all has fewer names of files to know.
export { ImportPage } from './import-page.tsx'
export { ImportsPage } from './imports-page.tsx'

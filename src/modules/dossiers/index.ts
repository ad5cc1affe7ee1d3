import { type Route, route } from '#http'
import { type Exporting, exportDossier } from './actions.ts'

export const routes = (exporting: Exporting): Route[] => [
  route('GET', '/api/documents/:id/dossier', exportDossier(exporting)),
]

import { type Route, route } from '#http'
import { exportDossier } from './actions.ts'
import type { Exporting } from './manifest.ts'

export const routes = (exporting: Exporting): Route[] => [
  route('GET', '/api/documents/:id/dossier', exportDossier(exporting)),
]

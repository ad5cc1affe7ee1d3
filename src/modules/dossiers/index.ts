import { type Route, route } from '#http'
import { exportDossier } from './actions.ts'

export const routes: Route[] = [route('GET', '/api/documents/:id/dossier', exportDossier)]

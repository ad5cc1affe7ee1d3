import { openRoute, type Route } from '#http'
import { health } from './actions.ts'

export const routes = (version: string): Route[] => [openRoute('GET', '/api/health', health(version))]

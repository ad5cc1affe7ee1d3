import { type Route, route } from '#http'
import { find } from './actions.ts'

export const routes: Route[] = [route('GET', '/api/find', find)]

import { type Route, route } from '#http'
import { follow } from './actions.ts'

export { openEvents, usualTiming as usualEventTiming } from './hub.ts'

export const routes: Route[] = [route('GET', '/api/events', follow)]

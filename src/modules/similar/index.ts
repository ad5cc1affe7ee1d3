import { type Route, route } from '#http'
import { similar } from './actions.ts'

export { deviationVectorSink, deviationVectorsJob } from './vectors.ts'

export const routes: Route[] = [route('GET', '/api/deviations/similar', similar)]

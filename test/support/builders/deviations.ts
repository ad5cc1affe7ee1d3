import { password, type World } from '../world/world.ts'
import { ok } from './documents.ts'

export const rootCause = {
  method: 'five_whys',
  category: 'equipment_failure',
  summary: 'The seal of the valve was worn',
  steps: [
    { why: 'Why did the valve leak?', because: 'Its seal was worn' },
    { why: 'Why was the seal worn?', because: 'Nobody changes it before it leaks' },
  ],
}

type State = 'open' | 'under_investigation' | 'pending_approval' | 'closed' | 'cancelled'

/** Deviations for tests. Uma reports, Petra investigates, Quentin closes. */
export function deviations(world: World) {
  const { as, people } = world
  const put = (by: string, id: number, body: object) => as(by).put(`/api/deviations/${id}`, body)
  const report = async ({ by = 'uma', ...fields }: { by?: string; [field: string]: unknown } = {}) =>
    ok(
      await as(by).post('/api/deviations/', {
        title: 'Valve V-12 leaked',
        description: 'Water was found under valve V-12 after cleaning.',
        severity: 'minor',
        ...fields,
      }),
    )
  const taken = ['petra', { status: 'under_investigation', assigned_to: people.petra!.id }] as const
  const investigated = [
    'petra',
    {
      status: 'pending_approval',
      root_cause: rootCause,
      impact_assessment: 'None: the line was empty',
      no_capa_reason: 'The seals are changed every year from now on',
      change_reason: 'Investigated',
    },
  ] as const
  /** The requests that bring one from where it began to a state, each by somebody who may. */
  const ways: Record<State, (readonly [by: string, body: object])[]> = {
    open: [],
    under_investigation: [taken],
    pending_approval: [taken, investigated],
    closed: [taken, investigated, ['quentin', { status: 'closed', change_reason: 'Complete and plausible' }]],
    cancelled: [['petra', { status: 'cancelled', change_reason: 'Condensate, which is expected there', password }]],
  }
  const inState = async (state: State, fields: Parameters<typeof report>[0] = {}) => {
    let deviation = await report(fields)
    for (const [by, body] of ways[state]) deviation = ok(await put(by, deviation.id, body))
    return deviation
  }
  return {
    put,
    report,
    inState,
    get: async (by: string, id: number, path = '') => ok(await as(by).get(`/api/deviations/${id}${path}`)),
  }
}

import { query } from '#action'
import { readSettings } from '#modules/accounts'
import { readAllowance } from './allowance.ts'
import { sumByKind, sumByMonth, sumByPerson } from './queries.ts'
import { Usage } from './schema.ts'

const maxPeople = 100
const months = 12

export const usage = query({
  summary: 'Read the use of the assistant this month',
  description:
    'In the calendar month of the tenant, by kind of call and by person, with the limits, and of the last twelve months.',
  permission: 'settings.read',
  input: {},
  response: Usage,
  async run(context) {
    const { tx, services } = context
    const { used, most, from, until } = await readAllowance(context)
    return {
      from,
      until,
      ...used,
      most_tokens: most.tokens,
      most_cost_micros: most.cost_micros,
      by_month: await sumByMonth(tx, (await readSettings(tx)).time_zone, services.clock.now(), months),
      by_kind: await sumByKind(tx, { from, until }),
      by_person: await sumByPerson(tx, { from, until }, maxPeople),
    }
  },
})

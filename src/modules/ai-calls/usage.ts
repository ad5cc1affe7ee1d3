import { query } from '#action'
import { readAllowance } from './allowance.ts'
import { sumByKind, sumByPerson } from './queries.ts'
import { Usage } from './schema.ts'

const maxPeople = 100

export const usage = query({
  summary: 'Read the use of the assistant this month',
  description: 'In the calendar month of the tenant, by kind of call and by person, with the limits.',
  permission: 'settings.read',
  input: {},
  response: Usage,
  async run(context) {
    const { used, most, from, until } = await readAllowance(context)
    return {
      from,
      until,
      ...used,
      most_tokens: most.tokens,
      most_cost_micros: most.cost_micros,
      by_kind: await sumByKind(context.tx, { from, until }),
      by_person: await sumByPerson(context.tx, { from, until }, maxPeople),
    }
  },
})

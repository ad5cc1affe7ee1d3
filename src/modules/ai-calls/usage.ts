import { query } from '#action'
import { readAllowance } from './allowance.ts'
import { sumByKind, sumByPerson } from './queries.ts'
import { Usage } from './schema.ts'

const most_people = 100

export const usage = query({
  summary: 'Read what the assistant took this month',
  description: 'In the calendar month of the tenant: by what was asked and by who asked, and what is allowed.',
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
      by_person: await sumByPerson(context.tx, { from, until }, most_people),
    }
  },
})

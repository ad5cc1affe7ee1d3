import { query } from '#action'
import { dayIn } from '#kernel/day.ts'
import { invalidQuery, permissionRequired } from '#kernel/errors.ts'
import { pageOf } from '#kernel/paging.ts'
import { Page } from '#kernel/schema.ts'
import { figures, hasKeys, isRecurring, permissionsFor } from './counted.ts'
import { messages } from './messages.ts'
import { windowIn } from './stats.ts'
import { countedZone, countFound, factsFound, listCounted, listTypeNames, recurrencesFound } from './stats-queries.ts'
import { CountedFilter, CountedRecord } from './stats-schema.ts'

export const records = query({
  summary: 'List the records behind a figure of the statistics',
  description:
    'For figures that no filter of a list finds; `lists` of the statistics has the request for each. A record that counts twice, such as a document with two new versions, is listed twice. Needs the permission to read all records of its kind.',
  permission: 'dashboard.stats',
  input: { query: CountedFilter },
  response: Page(CountedRecord),
  async run({ tx, actor, services }, { query }) {
    const { figure, key } = query
    const lacking = permissionsFor(figure).find(permission => !actor.permissions.has(permission))
    if (lacking) throw permissionRequired(lacking)
    if (hasKeys(figure) && key === undefined) throw invalidQuery('key', messages.statistics_key_missing({ figure }))
    const zone = await countedZone(tx)
    const today = dayIn(zone.time_zone, services.clock.now())
    const window = windowIn(query, today)
    const [resource, found] = isRecurring(figure)
      ? (['deviation', recurrencesFound(window, zone, hasKeys(figure) ? key : undefined)] as const)
      : ([
          figures[figure].resource,
          factsFound(
            zone,
            figures[figure].resource,
            figures[figure].facts({ window, today, key, types: (await listTypeNames(tx)).map(({ id }) => id) }),
          ),
        ] as const)
    return pageOf(
      query,
      (limit, offset) => listCounted(tx, resource, found, { limit, offset }),
      () => countFound(tx, found),
    )
  },
})

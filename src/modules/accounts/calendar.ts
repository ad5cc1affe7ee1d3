import type { ActionContext } from '#action'
import { dayIn } from '#kernel/day.ts'
import { readSettings } from './settings.ts'

/** Today in the time zone of the tenant. */
export const todayOf = async ({ tx, services }: Pick<ActionContext<unknown>, 'tx' | 'services'>) =>
  dayIn((await readSettings(tx)).time_zone, services.clock.now())

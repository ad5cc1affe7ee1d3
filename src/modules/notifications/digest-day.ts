import { dayIn, daysLater, hourIn } from '#kernel/day.ts'
import type { TenantSettings } from '#modules/accounts'

type DigestSettings = Pick<TenantSettings, 'time_zone' | 'digest_hour'>

/** The last day whose digest is due by now: today's from its hour on. */
export function lastDigestDay({ time_zone, digest_hour }: DigestSettings, now: Date): string {
  const today = dayIn(time_zone, now)
  return hourIn(time_zone, now) >= digest_hour ? today : daysLater(today, -1)
}

/** The day of the digest that takes a notification of now. */
export const nextDigestDay = (settings: DigestSettings, now: Date) => daysLater(lastDigestDay(settings, now), 1)

export interface NotificationsSearch {
  tab?: 'preferences'
  /** Of those that were read. */
  page?: number
}

export function notificationsSearch({ tab, page }: Record<string, unknown>): NotificationsSearch {
  const number = Number(page)
  return {
    ...(tab === 'preferences' && { tab }),
    ...(Number.isInteger(number) && number > 1 && number < 1e6 && { page: number }),
  }
}

import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  statistics_window_too_early: ({ first_day }: { first_day: string }) =>
    `The window begins before ${first_day}. Choose a later day.`,
  statistics_window_reversed: ({ date_to }: { date_to: string }) =>
    `Choose a day up to the last day of the window, ${date_to}.`,
  statistics_window_too_long: ({ maximum, date_to }: { maximum: number; date_to: string }) =>
    `Choose a day at most ${maximum} days before ${date_to}.`,
})

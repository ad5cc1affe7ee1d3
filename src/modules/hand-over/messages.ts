import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  hand_over_user_active: ({ username }: { username: string }) =>
    `${username} is active and keeps their work. Deactivate the user first.`,
  hand_over_to_leaver: ({ username }: { username: string }) => `${username} is leaving. Choose another successor.`,
  hand_over_successor_inactive: ({ username }: { username: string }) =>
    `${username} is not active. Choose another successor.`,
  hand_over_nothing_open: ({ username }: { username: string }) => `${username} has no open work to hand over.`,
  hand_over_to_nobody: 'Nobody is named who takes the work. Choose a successor, or set hand_over_role in the settings.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  /** `reason` is null where none was given at the deactivation. */
  reason_handed_over: ({ from, to, reason }: { from: string; to: string; reason: string | null }) =>
    `Handed over from ${from}, who was deactivated, to ${to}${reason === null ? '' : `: ${reason}`}`,
})

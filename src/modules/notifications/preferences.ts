import { command, query } from '#action'
import { invalid, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { self } from './actions.ts'
import { messages } from './messages.ts'
import { type Choice, forgetChoices, leaveDigest, listChoices, lockReader, storeChoices } from './preference-queries.ts'
import { Preferences, PreferencesUpdate } from './schema.ts'
import {
  type Delivered,
  isRequired,
  type NotificationType,
  notificationTypes,
  priorityOf,
  usualDelivery,
} from './types.ts'

const shown = (choices: ReadonlyMap<NotificationType, Delivered>): Preferences => ({
  preferences: notificationTypes.map(type => ({
    type,
    priority: priorityOf(type),
    ...(choices.get(type) ?? usualDelivery(type)),
    is_required: isRequired(type),
    is_default: !choices.has(type),
  })),
})

export const preferences = query({
  summary: 'Read your notification preferences',
  description:
    'Every type of notification: whether it is shown in the service, and how it is sent by e-mail. By default urgent and high ones are sent at once, normal ones once a day, and low ones not.',
  permission: 'notifications.read',
  input: {},
  response: Preferences,
  run: async ({ tx, actor }) => shown(await listChoices(tx, self(actor))),
})

export const changePreferences = command({
  summary: 'Change your notification preferences',
  description:
    'A type that is left out stays as it is; one with neither in_app nor email returns to its default. Types that ask for a decision or give a warning cannot be switched off. Without the notification there is no e-mail, so in_app false switches off both.',
  permission: 'notifications.manage',
  input: { body: PreferencesUpdate },
  response: Preferences,
  async run({ tx, actor, record }, { body }) {
    const userId = self(actor)
    await lockReader(tx, userId)
    const before = await listChoices(tx, userId)
    const { chosen, forgotten } = choose(body, before)
    if (chosen.length > 0) await storeChoices(tx, userId, chosen)
    if (forgotten.length > 0) await forgetChoices(tx, userId, forgotten)
    const after = await listChoices(tx, userId)
    const outOfDigest = body.preferences
      .map(({ type }) => type)
      .filter(type => (after.get(type) ?? usualDelivery(type)).email !== 'digest')
    if (outOfDigest.length > 0) await leaveDigest(tx, userId, outOfDigest)
    record('user.notification_preferences_changed', userId, {
      number: actor.username,
      before: Object.fromEntries(before),
      after: Object.fromEntries(after),
    })
    return shown(after)
  },
})

/** Splits the request into stored choices and types that return to their default, or throws the 422 with every impossible choice. */
function choose({ preferences: asked }: PreferencesUpdate, before: ReadonlyMap<NotificationType, Delivered>) {
  const chosen: Choice[] = []
  const forgotten: NotificationType[] = []
  const wrong = asked.flatMap(({ type, ...choice }, i) => {
    const refuse = (field: string, message: Message) => [issueAt(['body', 'preferences', i, field], message)]
    if (asked.findIndex(each => each.type === type) < i)
      return refuse('type', messages.notification_type_repeated({ type }))
    if (choice.in_app === undefined && choice.email === undefined) {
      forgotten.push(type)
      return []
    }
    const withoutApp = choice.in_app === false && { email: 'none' as const }
    const next = { ...usualDelivery(type), ...before.get(type), ...withoutApp, ...choice }
    if (!next.in_app && isRequired(type)) return refuse('in_app', messages.notification_type_required({ type }))
    if (!next.in_app && next.email !== 'none') return refuse('email', messages.notification_email_without_app())
    chosen.push({ type, ...next })
    return []
  })
  if (wrong.length > 0) throw invalid(...wrong)
  return { chosen, forgotten }
}

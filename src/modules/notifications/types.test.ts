import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Recorded } from '#action'
import type { EventName, ResourceType } from '#kernel/catalogue.ts'
import { paths } from './link-queries.ts'
import type { Notice, NotificationInput } from './notice.ts'
import { requests } from './requests.ts'
import { rules } from './rules/rules.ts'
import { isRequired, type NotificationType, notificationTypes, priorities, priorityOf, usualDelivery } from './types.ts'

const document = { number: 'SOP-0001', title: 'Gowning', version: '1.0', state: 'In review' }
const variants: Partial<NotificationInput>[] = ['review', 'effective', 'initial'].flatMap(state_kind =>
  [
    { severity: 'critical', result: 'effective', cause: 'declared' },
    { result: 'not_effective', action: 'Clean' },
    { assigned_to: null, cause: 'counter' },
  ].map(facts => ({
    document: { ...document, state_kind },
    record: { number: 'DEV-2026-0001', title: 'Glass particles', state: state_kind === 'initial' ? 'draft' : 'open' },
    training: { number: 'TRN-0001', title: 'Gowning', trainee: 'Uma Example', due_date: '2026-12-24' },
    person: 'Uma Example (uma)',
    recorded: { after: facts, number: 'CAPA-2026-0001' } as unknown as Recorded,
  })),
)

/** Everything that the rules say, with the event that it is said of. */
const said = Object.entries(rules).flatMap(([event, rule]) =>
  rule === 'silent'
    ? []
    : variants.flatMap(variant =>
        (['assignees', 'notify'] as const).flatMap(part => {
          const recorded = { ...variant.recorded!, event: event as EventName, id: 7, outcome: 'success' as const }
          const input: NotificationInput = {
            by: 'Petra Example',
            together: new Set([recorded.event]),
            ...variant,
            recorded,
          }
          const notice = rule[part]?.(input)
          return notice ? [{ event, part, isReminder: rule.isReminder ?? false, notice }] : []
        }),
      ),
)
const resourceOf = (event: string) => (event.startsWith('auth.') ? 'user' : event.split('.')[0]!) as ResourceType

describe('the types of notifications', () => {
  // proves: NOTE-01
  it('are each said by a rule, and each rule says one of them', () => {
    // No event makes it: unread requests do.
    const found = new Set<NotificationType>(['escalation', ...said.map(({ notice }) => notice.type)])
    assert.deepEqual([...found].sort(), [...notificationTypes].sort())
  })

  it('have a priority that no notification of theirs is above, and a way by e-mail that goes by it', () => {
    const rank = ({ priority }: Pick<Notice, 'priority'>) => priorities.indexOf(priority)
    for (const type of notificationTypes) {
      const own = said.filter(({ notice }) => notice.type === type).map(({ notice }) => rank(notice))
      if (type !== 'escalation')
        assert.equal(Math.max(...own), rank({ priority: priorityOf(type) }), `${type}: its most urgent`)
      assert.deepEqual(usualDelivery(type), {
        in_app: true,
        email: { urgent: 'immediate', high: 'immediate', normal: 'digest', low: 'none' }[priorityOf(type)],
      })
    }
  })

  it('cannot be switched off where they ask a decision or warn of an account, and can where they only tell', () => {
    const warning: NotificationType[] = [
      'account_changed',
      'account_locked',
      'break_glass_untried',
      'break_glass_used',
      'identity_provider_changed',
      'passkey_misused',
      'api_key_expiring',
      'escalation',
      'deputy_named',
      'deputy_ended',
      'tenant_export',
    ]
    const asking = said.filter(({ part }) => part === 'assignees').map(({ notice }) => notice.type)
    assert.deepEqual(notificationTypes.filter(isRequired).sort(), [...new Set([...warning, ...asking])].sort())
  })

  it('name no endpoint of the API, which a person never calls', () => {
    for (const { event, notice } of said)
      assert.doesNotMatch(`${notice.message.title} ${notice.message.text}`, /\/api\/|\b(GET|POST|PUT|DELETE) /, event)
  })

  it('are of records that a path leads to, and of which it is known whether they still ask', () => {
    for (const { event, part, isReminder } of said) {
      const resource = resourceOf(event)
      assert.ok(paths[resource], `${event}: src/modules/notifications/link-queries.ts has no path of a ${resource}`)
      if (part === 'assignees' && !isReminder)
        assert.ok(requests[resource], `${event}: src/app.ts does not say whether a ${resource} still asks`)
    }
  })
})

// Notifications of imported batches. A load tells nobody of its records: what it brings is of the past, and thousands would be told at once.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { type MigrationParams, messages } from '../messages.ts'
import { commonParams, fact, type NotificationInput, numberIn, type Rule } from '../notice.ts'

const paramsOf = (input: NotificationInput): MigrationParams => ({
  ...commonParams(input),
  number: input.recorded.number ?? '-',
  title: fact(input, 'title') ?? '-',
  records: numberIn(input, 'records') ?? 0,
  differences: numberIn(input, 'differences') ?? 0,
})

const told = (message: (params: MigrationParams) => TitledMessage, type: 'migration_loaded' | 'migration_decided') =>
  ({
    isForActor: true,
    notify: input => ({ type, priority: 'normal', message: message(paramsOf(input)) }),
  }) satisfies Rule

export const migrationRules = {
  'migration_batch.accepted': told(messages.migration_accepted, 'migration_decided'),
  'migration_batch.loaded': told(messages.migration_loaded, 'migration_loaded'),
  'migration_batch.released': told(messages.migration_released, 'migration_decided'),
} satisfies Partial<Record<EventName, Rule | 'silent'>>

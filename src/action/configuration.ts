import { type Static, type TSchema, Type } from 'typebox'
import { Id, Nullable, OneOf, Person, Timestamp } from '#kernel/schema.ts'
import { Allowed } from './allowed.ts'
import type { Action, ActionContext, Input, Parts } from './definitions.ts'

/** The parts of a tenant's configuration that another person approves, by the type of their records. */
export const configurationKinds = ['workflow_template', 'form_template', 'role', 'document_type', 'settings'] as const
export type ConfigurationKind = (typeof configurationKinds)[number]
export const configurationOperations = ['create', 'update', 'delete'] as const
export type ConfigurationOperation = (typeof configurationOperations)[number]
export const configurationStatuses = ['pending', 'approved', 'rejected', 'withdrawn', 'outdated'] as const
export type ConfigurationStatus = (typeof configurationStatuses)[number]

export const ConfigurationChangeSummary = Type.Object({
  id: Id,
  number: Type.String(),
  kind: OneOf(...configurationKinds),
  operation: OneOf(...configurationOperations),
  resource_id: Nullable(Id),
  title: Type.String({ description: 'The name of the record that changes' }),
  status: Type.Enum([...configurationStatuses], {
    description:
      '`outdated`: the record was changed otherwise before the approval, so the change has to be proposed again',
  }),
  reason: Nullable(Type.String()),
  proposed_by: Person,
  proposed_at: Timestamp,
  decided_by: Nullable(Person),
  decided_at: Nullable(Timestamp),
  decision_reason: Nullable(Type.String()),
  signature_id: Nullable(Id),
})
export type ConfigurationChangeSummary = Static<typeof ConfigurationChangeSummary>

export const ConfigurationChange = Type.Object({
  ...ConfigurationChangeSummary.properties,
  base_revision: Nullable(Type.Integer({ description: 'The revision of the record that the change is based on' })),
  changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() }), {
    description: 'The old and the new value of each field that changes',
  }),
  digest: Type.String({ description: 'SHA-256 of the canonical JSON (RFC 8785) of all that is approved' }),
  names: Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
    description: 'The names of what the changes name by ids: `users`, `groups` and `training_programs`',
  }),
  approvers: Type.Array(Person, { description: 'While it is pending: the first 20 people who may approve it' }),
  you: Allowed,
})
export type ConfigurationChange = Static<typeof ConfigurationChange>

/** The answer of a command whose change awaits the approval of another person: 202 and where it is read. */
export class AwaitingApproval {
  readonly body: ConfigurationChange
  readonly location: string
  constructor(body: ConfigurationChange) {
    this.body = body
    this.location = `/api/configuration-changes/${body.id}`
  }
}

/** A command that changes the configuration. `apply` puts the change into force, at once or when another person approves it. */
export interface ConfigurationCommand<P extends Parts = Parts, R extends TSchema = TSchema>
  extends Action<P, R, undefined> {
  kind: 'command'
  configures: ConfigurationKind
  operation: ConfigurationOperation
  needsApproval(input: Input<P>): boolean
  apply: Action<P, R, undefined>['run']
}

// biome-ignore lint/suspicious/noExplicitAny: a table of commands holds commands of every input and answer
export type AnyConfigurationCommand = ConfigurationCommand<any, any>

const explanation =
  'With the setting `configuration_needs_approval` the answer is 202 with a configuration change, which another person approves.'

interface Configures<P extends Parts> {
  configures: ConfigurationKind
  operation: ConfigurationOperation
  /** Whether this change needs approval while the setting is on; by default each does. */
  needsApproval?: (input: Input<P>) => boolean
}

/** Changes the configuration: at once, or as a proposal while the tenant has its configuration approved. */
export const configurationCommand = <const P extends Parts, R extends TSchema>({
  run: apply,
  description,
  needsApproval = () => true,
  ...definition
}: Omit<Action<P, R, undefined>, 'kind' | 'prepare' | 'pieces' | 'accepted'> & Configures<P>): ConfigurationCommand<
  P,
  R
> => {
  const made: ConfigurationCommand<P, R> = {
    ...definition,
    kind: 'command',
    description: description === undefined ? explanation : `${description} ${explanation}`,
    accepted: ConfigurationChange,
    needsApproval,
    apply,
    async run(context, input) {
      const proposed = await context.services.configuration.propose(context, made, input as never)
      // The route answers it with 202 and its own schema, and not with that of the record.
      return proposed ? (proposed as unknown as Static<R>) : apply(context, input)
    },
  }
  return made
}

export const isConfigurationCommand = (action: object): action is AnyConfigurationCommand => 'configures' in action

declare module '#action/definitions.ts' {
  interface Services {
    configuration: {
      /** Stores the change as a proposal if the tenant has its configuration approved; undefined if it takes effect at once. */
      propose(
        context: ActionContext<undefined>,
        command: AnyConfigurationCommand,
        input: Input<Parts>,
      ): Promise<AwaitingApproval | undefined>
      /** The command that makes such changes. */
      commandOf(kind: ConfigurationKind, operation: ConfigurationOperation): AnyConfigurationCommand
    }
  }
}

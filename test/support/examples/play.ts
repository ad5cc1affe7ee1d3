import { isDeepStrictEqual } from 'node:util'
import type { Example, Examples } from '#http/examples.ts'
import { accounts, deputies, platform } from './accounts.ts'
import { capas, deviations } from './cases.ts'
import { approvedConfiguration, configuration, forms, groups, templates } from './configuration.ts'
import { controlledCopies, fileRemovals } from './copies.ts'
import { assistant, documents } from './documents.ts'
import { machines } from './machines.ts'
import { migrations } from './migrations.ts'
import { oversight, refusals } from './oversight.ts'
import { passkeys } from './passkeys.ts'
import { differences, shortened, steady } from './recorder.ts'
import { retention, retentionOfCases } from './retention.ts'
import { type Around, openScene } from './scene.ts'
import { singleSignOn } from './single-sign-on.ts'
import { training } from './training.ts'

/** Sends a request to every route as the demo's people would, in an order in which each succeeds. */
export async function playExamples(around: Around): Promise<Examples> {
  const scene = await openScene(around)
  const company = [configuration, forms, groups, templates, deputies]
  const records = [
    documents,
    controlledCopies,
    fileRemovals,
    retention,
    deviations,
    capas,
    retentionOfCases,
    training,
    assistant,
  ]
  for (const act of [
    ...company,
    ...records,
    machines,
    migrations,
    passkeys,
    accounts,
    singleSignOn,
    oversight,
    platform,
  ])
    await act(scene)
  const refused = await refusals(scene)
  const awaiting = await approvedConfiguration(scene)
  return {
    operations: scene.operations,
    awaiting_approval: steady(shortened(awaiting)),
    refusals: Object.fromEntries(Object.entries(refused).map(([status, answer]) => [status, steady(answer)])),
  }
}

/** One operation a line, so that a change is seen as one. */
export function textOf({ operations, awaiting_approval, refusals }: Examples) {
  const lines = (from: Record<string, unknown>) =>
    Object.keys(from)
      .sort()
      .map(key => `    ${JSON.stringify(key)}: ${JSON.stringify(from[key])}`)
      .join(',\n')
  return `{\n  "operations": {\n${lines(operations)}\n  },\n  "refusals": {\n${lines(refusals)}\n  },\n  "awaiting_approval": ${JSON.stringify(awaiting_approval)}\n}\n`
}

/** Ids count what was there before, and days depend on the day of the run. */
const masked = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, each) =>
      typeof each === 'number'
        ? 0
        : typeof each === 'string'
          ? each.replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'day')
          : each,
    ),
  )

/** By operation, and by way where there are several. */
const eachOf = ({ operations }: Examples) =>
  new Map<string, Example>(
    Object.entries(operations).flatMap(([name, { variants = {}, ...example }]): [string, Example][] => [
      [name, example],
      ...Object.entries(variants).map(([way, each]): [string, Example] => [`${name} (${way})`, each]),
    ]),
  )

/** Where the examples are not what was sent and answered: every field of a request, and the fields that an answer has. */
export function differencesOf(examples: Examples, played: Examples): string[] {
  const [told, seen] = [eachOf(examples), eachOf(played)]
  const names = new Set([...told.keys(), ...seen.keys()])
  return [
    ...[...names].flatMap(name => {
      const [example, live] = [told.get(name), seen.get(name)]
      if (!example || !live) return [`${name} is ${example ? 'no longer' : 'not yet'} an example`]
      const isSame = isDeepStrictEqual(masked([example.params, example.request]), masked([live.params, live.request]))
      return [
        ...(isSame ? [] : [`${name}: another request`]),
        ...differences(example.answer, live.answer).map(at => `${name}: ${at} of the answer`),
      ]
    }),
    ...differences(examples.refusals, played.refusals).map(at => `refusals${at}`),
    ...differences(examples.awaiting_approval, played.awaiting_approval).map(at => `awaiting approval${at}`),
  ]
}

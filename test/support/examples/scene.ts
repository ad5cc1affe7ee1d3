import { TOTP } from 'otpauth'
import type { App } from '../../../src/app.ts'
import { platformUserSecret } from '../../../src/commands/demo/fill.ts'
import type { Dns } from '../fakes/dns.ts'
import type { Forger } from '../fakes/oidc.ts'
import type { Openai } from '../fakes/openai.ts'
import type { Smtp } from '../fakes/smtp.ts'
import { recordExamples } from './recorder.ts'

/** The service with the demo's people and records, and what some requests need beside them. */
export interface Around {
  app: App
  model: Openai
  smtp: Smtp
  /** The provider of the company, and the names of its DNS. */
  forger: Forger
  dns: Dns
  work(): Promise<unknown>
  seal(): Promise<unknown>
  /** The moves of a document happened so many years ago. */
  age(document_id: number, years: number): Promise<unknown>
}

/** A day so many days from today. */
export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export const markdown = (name: string, text: string) => ({ name, bytes: Buffer.from(text) })

/** The recorder, and the ids of the demo's records by the names that people know them by. */
export async function openScene(around: Around) {
  const recorder = recordExamples(around.app)
  const { send, tokenOf } = recorder
  const secret = await platformUserSecret(around.app)
  await tokenOf('olga', new TOTP({ secret: secret! }).generate({ timestamp: Date.now() + 30_000 }))
  const idsOf = async (path: string, name: string, by = 'nora') => {
    const { items } = await send('GET', `${path}?page_size=100`, by)
    const ids = new Map<string, number>(items.map((each: Record<string, unknown>) => [each[name], each.id]))
    return (key: string) => {
      const id = ids.get(key)
      if (id === undefined) throw new Error(`${path} has no ${key}: ${[...ids.keys()].join(', ')}`)
      return id
    }
  }
  return {
    ...around,
    ...recorder,
    person: await idsOf('/api/users/', 'username'),
    role: await idsOf('/api/roles/', 'name'),
    type: await idsOf('/api/document-types/', 'name'),
    workflow: await idsOf('/api/workflow-templates/', 'name'),
    document: await idsOf('/api/documents/', 'number', 'hana'),
    deviation: await idsOf('/api/deviations/', 'title', 'hana'),
    capa: await idsOf('/api/capa/', 'title', 'hana'),
    program: await idsOf('/api/training/', 'title', 'marta'),
    template: await idsOf('/api/templates/', 'name', 'marta'),
  }
}
export type Scene = Awaited<ReturnType<typeof openScene>>

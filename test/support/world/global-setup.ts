import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addPeople } from './people.ts'
import { openTestServer, settingsOfRun } from './postgres.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
let texts: string

export async function globalSetup() {
  server = await openTestServer({ settings: settingsOfRun })
  await server.addPeopled(addPeople)
  texts = mkdtempSync(join(tmpdir(), 'attest-texts-'))
  process.env.TEST_TEXTS = texts
}

export async function globalTeardown() {
  await server.close()
  rmSync(texts, { recursive: true })
}

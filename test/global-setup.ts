import { addPeople } from './people.ts'
import { openTestServer } from './postgres.ts'

let server: Awaited<ReturnType<typeof openTestServer>>

export async function globalSetup() {
  server = await openTestServer()
  await server.addPeopled(addPeople)
}

export async function globalTeardown() {
  await server.close()
}

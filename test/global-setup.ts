import { openTestServer } from './postgres.ts'

let server: Awaited<ReturnType<typeof openTestServer>>

export async function globalSetup() {
  server = await openTestServer()
}

export async function globalTeardown() {
  await server.close()
}

import type { FastifyInstance } from 'fastify'
import { createRunner, type Runner, type Services } from '#action'
import { mount, type Route } from '#http'
import { createServer } from '#http/server.ts'
import { Accounts, routes as accountRoutes, authenticator } from '#modules/accounts'
import { routes as auditRoutes, auditSink } from '#modules/audit'
import { routes as documentRoutes, findSignable } from '#modules/documents'
import { routes as signatureRoutes } from '#modules/signatures'
import { routes as workflowRoutes } from '#modules/workflows'
import type { Database } from '#platform/db/database.ts'

/** The version of the API (specification, Versioning). */
export const version = '1.0.0'

/** Every route of the service. What is not listed here does not answer. */
export const routesOf = (accounts: Accounts): Route[] => [
  ...accountRoutes(accounts),
  ...workflowRoutes,
  ...documentRoutes,
  ...signatureRoutes({ findSignable }),
  ...auditRoutes,
]

export interface App {
  server: FastifyInstance
  runner: Runner
  accounts: Accounts
  database: Database
  services: Services
  routes: Route[]
}

/** Puts the modules together. Listens to nothing yet. */
export async function buildApp(database: Database, services: Services): Promise<App> {
  const runner = createRunner(database, services, [auditSink])
  const accounts = new Accounts(database)
  const server = await createServer(services.config, version, services.log)
  const routes = routesOf(accounts)
  mount(server, routes, {
    runner,
    services,
    database,
    authenticate: authenticator(accounts, services.keys, services.clock),
  })
  return { server, runner, accounts, database, services, routes }
}

import { AsyncLocalStorage } from 'node:async_hooks'

/** The fields of every log line of a request (RID-03, LOG-03). Tenant and user are added when they are known. */
export interface RequestContext {
  request_id: string
  tenant_id?: number
  user_id?: number
}

export const requestContext = new AsyncLocalStorage<RequestContext>()

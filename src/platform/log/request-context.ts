import { AsyncLocalStorage } from 'node:async_hooks'

/** What every log line of a request carries (RID-03, LOG-03). Tenant and user are filled in once they are known. */
export interface RequestContext {
  request_id: string
  tenant_id?: number
  user_id?: number
}

export const requestContext = new AsyncLocalStorage<RequestContext>()

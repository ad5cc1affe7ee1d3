import type { Readable } from 'node:stream'
import type { PrepareContext } from '#action'
import { keyId, verifierKey } from '../log/note.ts'
import { sealNow } from '../sealing/sealing.ts'
import { bundleFile } from './bundle.ts'
import { signedManifest } from './bundle-format.ts'
import { readScope } from './scope.ts'

/** The whole trail of a tenant, as it is now. */
export interface WholeTrail {
  origin: string
  size: number
  /** The root of the newest tree, in base64. */
  root: string | null
  entries: number
  /** The key that signs, in the form that verifiers take. */
  vkey: string
  /** The bundle, as a zip that is verified without the service. */
  open(): Promise<Readable>
  /** Signs a text in the name of the newest tree, so that one key verifies the trail and what it came with. */
  sign(text: string): string
}

/** Everything that was recorded before the call is in it. It must not be called within a transaction. */
export async function wholeTrail(context: Pick<PrepareContext, 'actor' | 'services' | 'read'>): Promise<WholeTrail> {
  const { actor, read, services } = context
  const sealed = await sealNow(services, actor.tenantId)
  const scope = await read(tx => readScope(tx, {}, sealed))
  const { origin, size, root, count } = scope
  const { auditKey } = services
  const publicKey = Buffer.from(auditKey.public_key, 'base64')
  return {
    ...{ origin, size, root, entries: count },
    vkey: verifierKey(origin, publicKey),
    open: await bundleFile(context, scope),
    sign: text => signedManifest(text, origin, keyId(origin, publicKey), auditKey),
  }
}

import type { World } from '../world/world.ts'
import { proveActs, withPasskey } from './authenticator.ts'
import { ok } from './documents.ts'

/** A passkey of two people, and what the first has confirmed and is about to sign. */
export async function addPasskey(
  world: World,
  { word, by, user, document }: { word: string; by: string; user: string; document: number },
) {
  const named = async (name: string) => {
    const { id, authenticator } = await withPasskey(world, name)
    ok(await world.as(name).put(`/api/auth/passkeys/${id}`, { name: `${word} key` }))
    return { id, authenticator }
  }
  const [own, ofUser] = [await named(by), await named(user)]
  const act = {
    path: '/api/signatures/',
    body: { document_id: document, signature_type: 'witness', intent: `${word} intent` },
  }
  const post = (url: string, body: object) => world.as(by).post(url, body)
  const signing_challenge = await proveActs(post, own.authenticator, [act])
  return { passkey: own.id, user_passkey: ofUser.id, signing_challenge }
}

import { newAuthenticator } from '../builders/authenticator.ts'
import type { Scene } from './scene.ts'

/** A person who registers a passkey, logs in with it, and signs with it. */
export async function passkeys({ app, ask, send, person, document }: Scene) {
  const authenticator = newAuthenticator(app.services.config.public_url!)
  const options = await ask('POST /api/auth/passkeys/options', 'emil', { body: {} })
  const { id } = await ask('POST /api/auth/passkeys/', 'emil', {
    body: { name: 'Security key', response: authenticator.create(options) },
  })
  await ask('GET /api/auth/passkeys/', 'emil')
  await ask('PUT /api/auth/passkeys/:id', 'emil', { params: { id }, body: { name: 'Security key on the key ring' } })
  const login = await ask('POST /api/auth/passkeys/login/options')
  await ask('POST /api/auth/passkeys/login', undefined, { body: { response: authenticator.get(login) } })

  const { items } = await send('GET', '/api/documents/?status=effective&page_size=1', 'emil')
  const document_id = items[0]?.id ?? document('SOP-0001')
  const body = { document_id, signature_type: 'acknowledgement', intent: 'I have read this procedure' }
  const challenge = await ask('POST /api/signing-challenges/', 'emil', {
    variant: 'passkey',
    body: { kind: 'passkey', acts: [{ method: 'POST', path: '/api/signatures/', body }] },
  })
  await ask('POST /api/signing-challenges/:id/passkey', 'emil', {
    params: { id: challenge.id },
    body: { response: authenticator.get(challenge.passkey) },
  })
  await ask('GET /api/signing-challenges/:id', 'emil', { params: { id: challenge.id } })
  await send('POST', '/api/signatures/', 'emil', { body: { ...body, signing_challenge: challenge.id } })

  await ask('GET /api/users/:id/passkeys', 'nora', { params: { id: person('emil') } })
  const another = newAuthenticator(app.services.config.public_url!)
  const again = await send('POST', '/api/auth/passkeys/options', 'emil', { body: {} })
  const { id: second } = await send('POST', '/api/auth/passkeys/', 'emil', {
    body: { name: 'Telephone', response: another.create(again) },
  })
  await ask('DELETE /api/users/:id/passkeys/:passkey_id', 'nora', {
    params: { id: person('emil'), passkey_id: second },
  })
  await ask('DELETE /api/auth/passkeys/:id', 'emil', { params: { id } })
}

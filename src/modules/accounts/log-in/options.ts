import { Type } from 'typebox'
import { openAction } from '#action'

/** It says the same to everybody, so it tells nothing of accounts. */
export const logInOptions = openAction({
  summary: 'Read how people get into this service',
  input: {},
  response: Type.Object({
    password_links: Type.Boolean({
      description: 'Whoever has forgotten the password gets a link by e-mail; without it an Admin sets a temporary one',
    }),
    passkeys: Type.Boolean({ description: '`POST /api/auth/passkeys/login` lets people in' }),
    registration: Type.Boolean({ description: '`POST /api/auth/register` creates accounts' }),
  }),
  run: async ({ services: { post, config } }) => ({
    password_links: post !== undefined,
    passkeys: config.public_url !== undefined,
    registration: config.registration_enabled,
  }),
})

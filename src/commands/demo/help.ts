import { cast, demoPassword, platformUser } from './people.ts'

const table = (rows: string[][]) => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row => `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd())
}

/** The printed help of the demo: its address, its people, and things to try. */
export const helpOf = (address: string, totpSecret: string | undefined): string =>
  [
    '',
    `Log in at        ${address}/`,
    `API, to try out  ${address}/docs`,
    `Its health       ${address}/control-panel/  (for ${platformUser.username})`,
    '',
    `Everybody's password is ${demoPassword} (for this demo only: it stands in docs/tour.md)`,
    '',
    ...table([
      ['USER', 'ROLE', 'CAN TRY'],
      ...cast.map(({ username, role, can }) => [username, role, can]),
      [platformUser.username, 'Platform operator', platformUser.can],
    ]),
    '',
    ...(totpSecret
      ? [
          `${platformUser.username} also needs a code, from an authenticator app with the secret ${totpSecret}, or from here:`,
          `  node -p "new (require('otpauth').TOTP)({ secret: '${totpSecret}' }).generate()"`,
          '',
        ]
      : []),
    'Try this in another terminal:',
    `  TOKEN=$(curl -s ${address}/api/auth/token -H 'content-type: application/json' -d '{"username":"marta","password":"${demoPassword}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s "${address}/api/documents/?status=effective&sort=number:asc" -H "authorization: Bearer $TOKEN"`,
    `  curl -s "${address}/api/audit/?q=SOP-0001" -H "authorization: Bearer $TOKEN"`,
    '',
    'docs/tour.md goes on from here: a document from its upload to its signatures. Ctrl-C stops the demo, npm run demo finds it again.',
    '',
  ].join('\n')

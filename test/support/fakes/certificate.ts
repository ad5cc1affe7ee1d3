import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** ITU-T X.690: the kind of a value, how long it is, and the value. */
const der = (kind: number, ...parts: (Buffer | number[])[]) => {
  const value = Buffer.concat(parts.map(part => Buffer.from(part)))
  const { length } = value
  // In as few bytes as there can be: a browser refuses what has more.
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.from([kind, ...size, ...value])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (...bytes: number[]) => der(0x06, bytes)
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))
const day_ms = 86_400_000

/** RFC 5280: signed by itself, good for a day and for one host. As PEM, like its key. */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const name = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(host)))))
  const alternative = isIP(host) === 4 ? der(0x87, host.split('.').map(Number)) : der(0x82, Buffer.from(host))
  const extension = sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(alternative)))
  const content = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1], randomBytes(15)),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(Date.now() - day_ms)), time(new Date(Date.now() + day_ms))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const whole = sequence(content, ecdsaWithSha256, der(0x03, [0], sign('sha256', content, privateKey)))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

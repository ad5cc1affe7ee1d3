import { canonicalBytes } from './canonical.ts'
import { type SigningKey, verifySeal } from './signing-key.ts'

type PublicHalf = Pick<SigningKey, 'key_id' | 'public_key'>

/** Proof that one key followed another, sealed by both, or by the next one alone if the previous one is lost. */
export interface KeyLink {
  previous: PublicHalf
  next: PublicHalf
  by_previous: string | null
  by_next: string
}

const statement = (previous: PublicHalf, next: PublicHalf) =>
  canonicalBytes({
    purpose: 'attest signing key succession v1',
    previous: { key_id: previous.key_id, public_key: previous.public_key },
    next: { key_id: next.key_id, public_key: next.public_key },
  })

/** `previous` has no `sign` if its private half is lost. */
export function linkKeys(previous: PublicHalf & Partial<Pick<SigningKey, 'sign'>>, next: SigningKey): KeyLink {
  const bytes = statement(previous, next)
  return {
    previous: { key_id: previous.key_id, public_key: previous.public_key },
    next: { key_id: next.key_id, public_key: next.public_key },
    by_previous: previous.sign?.(bytes) ?? null,
    by_next: next.sign(bytes),
  }
}

/** True if each seal of the link is of the key that it names. It says nothing of whose the keys are. */
export const isSealedByItsKeys = ({ previous, next, by_previous, by_next }: KeyLink) =>
  verifySeal(next.public_key, statement(previous, next), by_next) &&
  (by_previous === null || verifySeal(previous.public_key, statement(previous, next), by_previous))

/** That a key of an earlier installation sealed what this tenant brought along, said by a key of the installation that took the tenant in. */
export interface ImportedKey {
  tenant: string
  key: PublicHalf
  voucher: PublicHalf
  /** The SHA-256 of the manifest of the export. */
  export_sha256: string
  seal: string
}

/** Another purpose than that of a link: a statement about one tenant never counts for all. */
const statementOfImport = ({ tenant, key, voucher, export_sha256 }: Omit<ImportedKey, 'seal'>) =>
  canonicalBytes({
    purpose: 'attest signing key of an imported tenant v1',
    tenant,
    key: { key_id: key.key_id, public_key: key.public_key },
    voucher: { key_id: voucher.key_id, public_key: voucher.public_key },
    export_sha256,
  })

export function vouchForImported(
  { tenant, key, export_sha256 }: Pick<ImportedKey, 'tenant' | 'key' | 'export_sha256'>,
  { sign, ...voucher }: SigningKey,
): ImportedKey {
  const said = { tenant, key, voucher, export_sha256 }
  return { ...said, seal: sign(statementOfImport(said)) }
}

/** `trusted`, and the keys that one of them vouches for as those of this tenant's past. */
export const withImportedKeys = (trusted: ReadonlySet<string>, imported: readonly ImportedKey[]): ReadonlySet<string> =>
  new Set([
    ...trusted,
    ...imported
      .filter(({ seal, ...said }) => {
        const { public_key } = said.voucher
        return trusted.has(public_key) && verifySeal(public_key, statementOfImport(said), seal)
      })
      .map(({ key }) => key.public_key),
  ])

/**
 * The public keys that count: those of `held`, and each that a key which counts has signed as its predecessor or successor. What a key says
 * of itself proves nothing, because everyone who can write to the database can make one.
 */
export function trustedKeys(held: readonly string[], links: readonly KeyLink[]): ReadonlySet<string> {
  const trusted = new Set(held)
  for (let before = -1; before !== trusted.size; ) {
    before = trusted.size
    for (const { previous, next, by_previous, by_next } of links) {
      const isOne = [previous, next].map(({ public_key }) => trusted.has(public_key))
      if (isOne[0] === isOne[1]) continue
      const [voucher, seal, other] = isOne[0] ? [previous, by_previous, next] : [next, by_next, previous]
      if (seal !== null && verifySeal(voucher.public_key, statement(previous, next), seal))
        trusted.add(other.public_key)
    }
  }
  return trusted
}

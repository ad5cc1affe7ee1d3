// The verifier of signatures that is given away, as a program on the file of a dossier.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { signWithPasskey, withPasskey } from '#test/builders/authenticator.ts'
import { type Json, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { accepted } from '#test/builders/samples.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

// proves: SSO-05, SIG-02
describe('the verifier of signatures', () => {
  const program = join(import.meta.dirname, '../verifier/attest-signature-verify.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'attest-signatures-'))
  let world: World
  let rows: Json[]
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    const paper = papers(world)
    const { id } = await paper.submitted()
    const path = `/api/documents/${id}/approve`
    const { authenticator } = await withPasskey(world, 'petra', { algorithm: 'EdDSA' })
    await accepted(signWithPasskey(world, 'petra', authenticator, { path, body: { comment: 'Fine' } }))
    await accepted(paper.approve('quentin', id, { password }))
    rows = (await readDossier(world, `/api/documents/${id}/dossier`)).json('signatures.json')
  })
  after(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  const run = (content: string, ...more: string[]) => {
    const file = join(folder, 'signatures.json')
    writeFileSync(file, content)
    return spawnSync(process.execPath, [program, file, ...more], { encoding: 'utf8' })
  }
  const key = () => ['--key', rows[0].public_key]

  it('says of each signature who gave it, and what proves it', () => {
    const { status, stdout, stderr } = run(JSON.stringify(rows), ...key())
    assert.deepEqual([status, stderr], [0, ''])
    const [first, second, result] = stdout.trimEnd().split('\n')
    assert.match(
      first!,
      /^ok {6}signature \d+: Petra Example \(petra\), .*: sealed; the signer confirmed this content with a passkey$/,
    )
    assert.match(second!, /^ok {6}signature \d+: Quentin Example \(quentin\), .*: sealed; nothing more is kept/)
    assert.equal(result, 'VALID')
  })

  it('finds what was altered, and says what it cannot check', () => {
    const altered = (change: (row: Json) => void) => {
      const copy = structuredClone(rows)
      change(copy[0])
      return run(JSON.stringify(copy), ...key())
    }
    const wrong: ((row: Json) => void)[] = [
      row => {
        row.payload = row.payload.replace('"username":"petra"', '"username":"otto"')
      },
      row => {
        row.evidence = rows[1].evidence
      },
      row => {
        row.evidence.key.x = Buffer.alloc(32, 9).toString('base64url')
      },
      row => {
        row.seal = rows[1].seal
      },
    ]
    for (const change of wrong) {
      const { status, stdout } = altered(change)
      assert.equal(status, 1, stdout)
      assert.match(stdout, /^FAILED {2}signature/m)
      assert.match(stdout, /\nNOT VALID\n$/)
    }
    assert.equal(run(JSON.stringify(rows)).status, 2)
    assert.equal(run('nonsense', ...key()).status, 2)
    assert.equal(run(JSON.stringify(rows), '--key', 'AAAA').status, 2)
    assert.match(run('[]', ...key()).stdout, /^ok {6}0 signatures/)
    const other = ['--key', Buffer.alloc(32, 7).toString('base64')]
    assert.equal(run(JSON.stringify(rows), ...other).status, 1)
    assert.equal(spawnSync(process.execPath, [program]).status, 2)
  })
})

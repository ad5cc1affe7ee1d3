import assert from 'node:assert/strict'
import { mkdtempSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { isInSystem } from './sandbox.ts'

it('a sandbox shows the folders of the system, also by a link into them and before they exist, and no other (proves: OPS-02)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-in-system-'))
  const link = join(folder, 'data')
  try {
    symlinkSync('/usr', link)
    for (const path of ['/usr', '/usr/bin/env', '/usr/local/attest-is-not-there', link, join(link, 'share')])
      assert.ok(isInSystem(path), path)
    for (const path of [folder, join(folder, 'missing'), '/usr-data', '/var/lib/attest'])
      assert.ok(!isInSystem(path), path)
  } finally {
    rmSync(link)
    rmdirSync(folder)
  }
})

// The file that is loaded before each suite finds the suites that would keep a run waiting, and those that leave their process changed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { environmentOfPrograms } from '#test/world/environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-open-handles-'))
after(() => rmSync(folder, { recursive: true }))

const preload = join(import.meta.dirname, 'support/world/open-handles.ts')
const suites: Record<string, [body: string, found: RegExp | undefined]> = {
  'ends by itself': [
    `const server = createServer().listen(0); after(() => new Promise(done => server.close(done)))`,
    undefined,
  ],
  'leaves a server': ['createServer().listen(0)', /does not end after its last test: .*1 TCPServerWrap/],
  'leaves a timer': ['setInterval(() => {}, 1000)', /does not end after its last test: .*1 Timeout/],
  'leaves what keeps nobody waiting': ['setInterval(() => {}, 1000).unref()', undefined],
  'leaves a variable': [`process.env.LEFT = 'x'`, /leaves its process changed: the variable LEFT$/m],
  'puts a variable back': [`process.env.LEFT = 'x'; delete process.env.LEFT`, undefined],
  'leaves a listener': [`process.on('SIGTERM', () => {})`, /leaves its process changed: the listeners of SIGTERM$/m],
  'leaves another fetch': ['globalThis.fetch = () => {}', /leaves its process changed: fetch$/m],
  'leaves another clock': ['Date.now = () => 0', /leaves its process changed: Date\.now$/m],
  'leaves another folder': [`process.chdir('/')`, /leaves its process changed: the working folder$/m],
  'leaves another umask': ['process.umask(0o077)', /leaves its process changed: the umask$/m],
}

describe('a suite that', () => {
  for (const [name, [body, found]] of Object.entries(suites))
    it(`${name} ${found ? 'fails' : 'passes'}`, () => {
      const file = join(folder, `${name.replaceAll(' ', '-')}.test.mjs`)
      writeFileSync(
        file,
        `import { createServer } from 'node:net'\nimport { after, it } from 'node:test'\n${body}\nit('passes', () => {})\n`,
      )
      const { status, stdout } = spawnSync(process.execPath, ['--test', `--import=${preload}`, file], {
        encoding: 'utf8',
        env: { ...environmentOfPrograms(), TEST_ENDS_WITHIN_MS: '500' },
      })
      assert.equal(status, found ? 1 : 0, stdout)
      if (found) assert.match(stdout, found)
    })
})

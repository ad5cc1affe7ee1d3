import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ignoreRules, readDockerfile, substitute } from './dockerfile.ts'

const deploy = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8')

describe('the Dockerfile, as its steps are carried out (proves: OPS-01)', () => {
  it('is understood whole: stages, steps, and what they end with', () => {
    const { args, stages } = readDockerfile(deploy('Dockerfile'))
    assert.match(substitute(stages[0]!.base, args), /^node:\d+\.\d+\.\d+-bookworm-slim$/)
    assert.deepEqual(
      stages.map(({ alias }) => alias),
      ['packages', 'build', 'dependencies', undefined],
    )
    const last = stages.at(-1)!.steps
    assert.deepEqual(last.at(-1), { name: 'CMD', command: ['node', 'src/main.ts', 'serve'] })
    const health = last.find(({ name }) => name === 'HEALTHCHECK')
    assert.ok(health?.name === 'HEALTHCHECK' && health.command[0] === 'node' && health.command.length === 3)
    const copied = last.filter(({ name }) => name === 'COPY')
    assert.ok(copied.some(step => step.name === 'COPY' && step.from === 'build'))
  })

  it('is refused where a step is not understood, rather than carried out without it', () => {
    for (const line of [
      'ADD https://example.com/x /x',
      'RUN --mount=type=cache npm ci',
      'COPY --chown=1:1 a b',
      'SHELL ["sh"]',
    ])
      assert.throws(() => readDockerfile(`FROM a\n${line}`), /is not understood/, line)
    assert.deepEqual(readDockerfile('ARG A=1\nFROM a AS b\n# no step\nRUN one \\\n  && two').stages, [
      { base: 'a', alias: 'b', steps: [{ name: 'RUN', command: 'one    && two' }] },
    ])
  })

  it('puts values in place of names', () => {
    const values = new Map([['A', '1']])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a Dockerfile has it
    assert.equal(substitute('${A}-$A-${B:-2}-${B}.', values), '1-1-2-.')
  })

  it('lets into the build what the image is made of, and nothing else', () => {
    const isIgnored = ignoreRules(deploy('Dockerfile.dockerignore'))
    for (const path of [
      'package.json',
      '.npmrc',
      'migrations/0001_foundation.sql',
      'src/main.ts',
      'tools/build-web.ts',
      'web/index.html',
    ])
      assert.equal(isIgnored(path), false, path)
    for (const path of [
      '.env',
      'deploy/.env',
      'data/keys/signature.pem',
      'src/platform/db/migrate.test.ts',
      'web/dist/index.html',
      '.git',
    ])
      assert.equal(isIgnored(path), true, path)
  })
})

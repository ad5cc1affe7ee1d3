import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** The names in the first column of the page's table. */
const firstColumn = (page: string) => [...read(page).matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!).sort()

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('the documentation', () => {
  it('begins with a README of at most 120 lines', () => {
    assert.ok(read('README.md').split('\n').length <= 121)
  })

  it('explains each variable that the configuration reads, and no other', () => {
    const source = globSync('src/platform/config{.ts,/*.ts}', { cwd: root }).map(read).join('\n')
    const names = [
      ...source.matchAll(
        /(?:env\.|(?:text|oneOf|whole|share|list|some|yes|postgresUrl|needed|endpoint)\(')([A-Z][A-Z0-9_]+)/g,
      ),
    ]
    const variables = [...new Set(names.map(([, name]) => name!))].sort()
    assert.ok(variables.length > 15, 'the variables are found in the source')
    assert.deepEqual(firstColumn('docs/configuration.md'), variables)
  })

  it('lists each command of the command line, and no other', () => {
    const { stdout } = spawnSync(process.execPath, ['src/main.ts', '--help'], { cwd: root, encoding: 'utf8' })
    const commands = [...stdout.matchAll(/^ {2}(\S+(?: \S+)*) {2,}/gm)].map(([, name]) => name!).sort()
    assert.deepEqual(firstColumn('docs/command-line.md'), commands)
  })

  it('names files that are there', () => {
    const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
    assert.ok(documents.length > 10)
    const missing = documents.flatMap(document => {
      const text = read(document)
      const named = [...text.matchAll(/`((?:src|test|tools|migrations|docs|bench)\/[\w./-]*)`/g)].map(
        ([, path]) => path!,
      )
      const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => join(dirname(document), path!))
      return [...named, ...linked].filter(path => !existsSync(join(root, path))).map(path => `${document}: ${path}`)
    })
    assert.deepEqual(missing, [])
  })

  it('has a glossary of names that the program uses', () => {
    const source = globSync(['src/**/*.ts', 'migrations/*.sql'], { cwd: root }).map(read).join('\n')
    const rows = [...read('docs/glossary.md').matchAll(/^\| (?!term|---)([^|]+) \|[^|]+\| (.*) \|$/gm)]
    assert.ok(rows.length >= 60)
    const names = rows.flatMap(([, term, code]) =>
      [...code!.matchAll(/`([\w.]+)`/g)].map(([, name]) => ({ term: term!, name: name! })),
    )
    const unknown = names.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(source))
    assert.deepEqual(unknown, [])
  })

  const needsCurl = { skip: hasCurl ? false : 'there is no curl to run the commands of the page with' }

  it('has a tour whose commands work as printed, on the demo', needsCurl, () =>
    runPage('docs/tour.md', folder => startProgram(['src/main.ts', 'demo'], { DATA_DIR: join(folder, 'data') })),
  )

  // proves: FLOW-01, DEV-02, TRN-03, CAPA-04
  it('sets up a company from an empty installation by the commands of the page, as printed', needsCurl, () =>
    runPage('docs/getting-started.md', folder => {
      const [, start] = /```sh\n(.*?)```/s.exec(read('docs/getting-started.md'))!
      const commands = start!.replace('npm ci && npm start', `exec '${process.execPath}' src/main.ts serve`)
      assert.notEqual(commands, start, 'the page starts the service')
      const announced = /listening on (http:[^\s,]+)/
      return startProgram(['-euc', commands], { DATA_DIR: join(folder, 'data') }, { program: 'bash', announced })
    }),
  )
})

/** Runs the commands of a page one after another in one shell, and compares what they print with what the page says. */
async function runPage(page: string, start: (folder: string) => ReturnType<typeof startProgram>) {
  const folder = mkdtempSync(join(tmpdir(), 'attest-readme-'))
  const program = await start(folder)
  try {
    // Where a person would stand: pdfkit is found from here.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    mkdirSync(join(folder, 'temporary'))
    const blocks = [...read(page).matchAll(/```bash\n(.*?)```\n(?:```text\n(.*?)```)?/gs)]
    assert.ok(blocks.length >= 5)
    const separator = '--- end of block ---'
    // Refusals go to the terminal too.
    const script = `exec 2>&1\n${blocks.map(([, commands]) => `${commands}echo '${separator}'`).join('\n')}`
    const options = { cwd: folder, env: { ...process.env, TMPDIR: join(folder, 'temporary') } }
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-euo', 'pipefail', '-c', script.replaceAll('http://127.0.0.1:8000', program.address)],
      options,
    )
    const outputs = stdout.split(`${separator}\n`)
    for (const [index, [, , printed]] of blocks.entries()) {
      if (printed !== undefined) assert.deepEqual(anyTime(outputs[index]!), anyTime(printed))
    }
    assert.deepEqual(
      readdirSync(folder).sort(),
      ['data', 'node_modules', 'temporary'],
      'no file is left where one stands',
    )
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** As it reads at any moment, with any ids. */
const anyTime = (text: string) => text.trimEnd().replace(/\d+/g, '0').split('\n')

async function startProgram(
  words: string[],
  variables: Record<string, string>,
  { program = process.execPath, announced = /^Log in at\s+(\S+)\/$/ } = {},
) {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const child = spawn(program, words, {
    cwd: root,
    env: { ...environment, ...variables, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>(done => child.once('exit', done))
  const lines: string[] = []
  const address = await new Promise<string>((found, failed) => {
    createInterface(child.stdout).on('line', line => {
      lines.push(line)
      const [, at] = announced.exec(line) ?? []
      if (at) found(at)
    })
    void exited.then(code => failed(new Error(`it ended with ${code}:\n${lines.join('\n')}`)))
  })
  return {
    address,
    async stop() {
      child.kill('SIGINT')
      assert.equal(await exited, 0, 'it ends in order')
    },
  }
}

// Which tests prove which requirement, and their last result; clause by clause for 21 CFR Part 11 and EU GMP Annex 11.
//
//   npm run trace                                         as Markdown
//   npm run trace -- --format json|pdf [--output FILE]    PDF goes to trace.pdf unless it is told where
//   node tools/trace.ts --check                           fails where a requirement has no test, or a test names none that is there
//
// The last result is that of the last whole `npm test` here.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makePdf } from '#platform/pdf/make.ts'
import { defectsOf, matrixOf } from './trace/matrix.ts'
import { blocksOf, markdownOf } from './trace/print.ts'
import { readLastRun } from './trace/results.ts'

const root = resolve(import.meta.dirname, '..')
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    format: { type: 'string', default: 'markdown' },
    output: { type: 'string' },
  },
})
const tests = new Map(
  globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'], { cwd: root })
    // The ids in this tool's own tests are examples.
    .filter(file => !file.startsWith('tools/trace/'))
    .sort()
    .map(file => [file, readFileSync(resolve(root, file), 'utf8')]),
)

if (options.check) {
  const defects = defectsOf(tests)
  for (const defect of defects) console.error(defect)
  process.exitCode = defects.length > 0 ? 1 : 0
} else {
  const matrix = matrixOf(tests, readLastRun(root))
  const put = (bytes: string | Uint8Array, path = options.output) => {
    if (path === undefined) process.stdout.write(bytes)
    else writeFileSync(path, bytes)
  }
  if (options.format === 'json') put(`${JSON.stringify(matrix, null, 2)}\n`)
  else if (options.format === 'pdf') put(await pdfOf(), options.output ?? 'trace.pdf')
  else if (options.format === 'markdown') put(markdownOf(matrix))
  else throw new Error(`--format is markdown, json or pdf, not ${options.format}`)
  if (matrix.requirements.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1

  async function pdfOf() {
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
    const created_at = new Date().toISOString()
    const { bytes } = await makePdf({
      source: {
        kind: 'sheets',
        blocks: blocksOf(matrix),
        bands: { head: { left: 'Attest: traceability', right: commit }, foot: `Printed ${created_at}` },
      },
      info: { title: 'Requirements and their tests', subject: `Commit ${commit}`, author: 'Attest', created_at },
    })
    return bytes
  }
}

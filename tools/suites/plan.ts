// Which suites can run on this machine, and what is left out.
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findPostgres } from '../external-postgres.ts'
import { findBubblewrap } from '../find-bubblewrap.ts'
import { findFaketime } from '../find-faketime.ts'
import { findStrace } from '../find-strace.ts'
import { externalSuites } from './external.ts'

const root = resolve(import.meta.dirname, '../..')

/** By the word before `.test.ts`. */
const needs: Record<string, { what: string; variable: string; find?: () => string | undefined }> = {
  external: { what: 'an external PostgreSQL', variable: 'TEST_DATABASE_URL' },
  browser: {
    what: 'a browser',
    variable: 'TEST_CHROMIUM',
    // The shell draws the same pages with a third less work, because it has no windows.
    find: () => ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync),
  },
  s3: {
    what: 'an S3 service, OpenStack Swift (apt install swift-proxy swift-account swift-container swift-object)',
    variable: 'TEST_SWIFT',
    find: () => {
      const here = ['proxy', 'account', 'container', 'object'].every(name =>
        existsSync(`/usr/bin/swift-${name}-server`),
      )
      return here ? '/usr/bin' : undefined
    },
  },
  clamav: {
    what: 'ClamAV (apt install clamav-daemon)',
    variable: 'TEST_CLAMD',
    find: () => ['/usr/sbin/clamd'].find(existsSync),
  },
  lemonldap: {
    what: 'a second make of provider, LemonLDAP::NG (apt install liblemonldap-ng-portal-perl libio-string-perl libstring-random-perl)',
    variable: 'TEST_LEMONLDAP',
    find: () => {
      const modules = ['Lemonldap/NG/Portal/Issuer/OpenIDConnect', 'IO/String', 'String/Random']
      return modules.every(name => existsSync(`/usr/share/perl5/${name}.pm`)) ? '/usr/bin/plackup' : undefined
    },
  },
  poppler: {
    what: 'pictures of the pages of a PDF (apt install poppler-utils)',
    variable: 'TEST_PDFTOPPM',
    find: () => ['/usr/bin/pdftoppm'].find(existsSync),
  },
  tesseract: {
    what: 'letters read off pictures (apt install tesseract-ocr tesseract-ocr-eng poppler-utils)',
    variable: 'TEST_TESSERACT',
    find: () => ['/usr/bin/tesseract'].find(program => existsSync(program) && existsSync('/usr/bin/pdftoppm')),
  },
  libreoffice: {
    what: 'LibreOffice (apt install libreoffice-writer-nogui libreoffice-calc-nogui)',
    variable: 'TEST_SOFFICE',
    find: () => ['/usr/bin/soffice'].find(existsSync),
  },
  bwrap: {
    what: 'converters that are enclosed (apt install bubblewrap), on a machine that allows user namespaces',
    variable: 'TEST_BWRAP',
    find: findBubblewrap,
  },
  python: {
    what: 'Python 3 (apt install python3)',
    variable: 'TEST_PYTHON',
    find: () => ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync),
  },
  faketime: {
    what: 'clocks that jump (apt install faketime)',
    variable: 'TEST_FAKETIME',
    find: findFaketime,
  },
  strace: {
    what: 'system calls that fail (apt install strace), and leave to trace another process',
    variable: 'TEST_STRACE',
    find: findStrace,
  },
  replication: {
    what: 'two servers of PostgreSQL, of which one follows the other (apt install postgresql)',
    variable: 'TEST_POSTGRES_BIN',
    find: () => findPostgres()?.bin,
  },
  pgbouncer: {
    what: 'PgBouncer (apt install pgbouncer)',
    variable: 'TEST_PGBOUNCER',
    find: () => ['/usr/sbin/pgbouncer'].find(existsSync),
  },
  smtp: { what: 'a mail server', variable: 'TEST_SMTP_URL' },
  pgvector: {
    what: 'pgvector 0.8 in the external PostgreSQL (its package, or built from its source)',
    variable: 'TEST_PGVECTOR',
    find: () => {
      const postgres = findPostgres()
      const control = `/usr/share/postgresql/${postgres?.major}/extension/vector.control`
      return existsSync(control) ? control : undefined
    },
  },
  onnx: {
    what: 'what runs models of ONNX (npm install --no-save @huggingface/transformers)',
    variable: 'TEST_TRANSFORMERS',
    find: () => [join(root, 'node_modules/@huggingface/transformers')].find(existsSync),
  },
}

/** Each takes minutes, most of them waiting. */
const onlyInFull = /^test\/faults\/(bucket|clock-jumps\.faketime|disk\.strace)\.test\.ts$/

/** A word that is no need is part of the suite's own name, as in engine.properties.test.ts. */
function need(file: string) {
  const word = /\.(\w+)\.test\.ts$/.exec(file)?.[1]
  return word !== undefined && word in needs ? word : undefined
}

interface Plan {
  here: string[]
  external: string[]
  /** Variables that tell the suites where the needed programs are. */
  found: NodeJS.ProcessEnv
  /** Run on the embedded server alone: how many, by reason. */
  left: { reason: string; count: number }[]
  /** The programs that this machine lacks, in words. */
  leftOut: string[]
}

/** All of them, relative to the folder of the project. */
export const listSuites = () =>
  globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'], { cwd: root }).sort()

/**
 * Decides where each of `files` runs. A variable of `environment` goes before what is looked for. Unless `isWhole`, what npm alone
 * brings is enough, but for a variable that names a program.
 */
export function planSuites(
  files: string[],
  { environment, isWhole }: { environment: NodeJS.ProcessEnv; isWhole: boolean },
): Plan {
  const found: NodeJS.ProcessEnv = {}
  const here: string[] = []
  const onExternal: string[] = []
  const leftOut: string[] = []
  const run = files.filter(file => isWhole || !onlyInFull.test(file))
  let inFull = files.length - run.length
  for (const [suffix, suites] of Map.groupBy(run, need)) {
    if (suffix === undefined) {
      here.push(...suites)
      continue
    }
    const needed = needs[suffix]!
    if (suffix === 'external') {
      onExternal.push(...suites)
      continue
    }
    const given = environment[needed.variable]
    const value = given ?? needed.find?.()
    if (value && !given && !isWhole) {
      inFull += suites.length
      continue
    }
    if (value) {
      found[needed.variable] = value
      if (suffix === 'pgvector') onExternal.push(...suites)
      else here.push(...suites)
    } else leftOut.push(`suites that need ${needed.what} (${suites.length} test files): ${needed.variable} is not set`)
  }
  if (inFull > 0)
    leftOut.push(
      `${inFull} suites that take minutes, or need programs beyond those of npm: in CI and by npm test -- --whole`,
    )
  const { again, left } = externalSuites(here, { isWhole })
  return { here: here.sort(), external: [...onExternal, ...again].sort(), left, found, leftOut }
}

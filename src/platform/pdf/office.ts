import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openGate } from '../gate.ts'
import { printed } from '../messages.ts'
import { openSandbox } from '../sandbox.ts'
import { ConverterMissing, NotPages } from './thread.ts'

export const officePrograms: readonly string[] = [
  '/usr/bin/soffice',
  '/usr/lib/libreoffice/program/soffice',
  '/opt/libreoffice/program/soffice',
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
]
const timeoutMs = 120_000
/** The limit of address space, of which LibreOffice takes some 1.5 GB before it has read anything. */
const maxMemoryKb = 4 * 1024 * 1024

/** The ending and the import filter of each type. Without a filter LibreOffice opens any file as text. */
const kinds: Record<string, { ending: string; filter?: string }> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    ending: 'docx',
    filter: 'MS Word 2007 XML',
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    ending: 'xlsx',
    filter: 'Calc MS Excel 2007 XML',
  },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    ending: 'pptx',
    filter: 'Impress MS PowerPoint 2007 XML',
  },
  'application/vnd.oasis.opendocument.text': { ending: 'odt', filter: 'writer8' },
  'application/vnd.oasis.opendocument.spreadsheet': { ending: 'ods', filter: 'calc8' },
  'application/vnd.oasis.opendocument.presentation': { ending: 'odp', filter: 'impress8' },
  'image/gif': { ending: 'gif' },
  'image/tiff': { ending: 'tif' },
  'image/webp': { ending: 'webp' },
}

/** True for files that LibreOffice converts: Office files, and pictures of types that nothing else here reads. */
export const isForOffice = (content_type: string) => Object.hasOwn(kinds, content_type)

/** No macros run and no links are updated. Any other network access goes to a proxy that does not exist. */
const settings = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
${[
  ['Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['Writer/Content/Update', 'Link', '0'],
  ['Calc/Content/Update', 'Link', '1'],
  ['Inet/Settings', 'ooInetProxyType', '2'],
  ['Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPProxyPort', '9'],
  ['Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPSProxyPort', '9'],
]
  .map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path!.startsWith('Writer') ? 'Office.' : path!.startsWith('Inet') ? '' : 'Office.'}${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  )
  .join('\n')}
</oor:items>
`

/** Converts Office files to PDF if LibreOffice is installed, one at a time, because each takes a core and half a gigabyte. */
export function openOffice(
  candidates: readonly string[] = officePrograms,
  temporary = tmpdir(),
  sandbox = openSandbox(),
) {
  const turn = openGate({
    at_once: 1,
    waiting: 8,
  })

  async function toPdf(path: string, content_type: string): Promise<{ path: string; discard(): Promise<void> }> {
    const program = candidates.find(existsSync)
    if (!program) throw new ConverterMissing(printed.pages_converter_missing())
    // A profile of its own for each file, so that none affects the next.
    const folder = await mkdtemp(join(temporary, 'attest-office-'))
    const discard = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
    try {
      const { ending, filter } = kinds[content_type]!
      const input = join(folder, `file.${ending}`)
      const output = join(folder, 'out', 'file.pdf')
      const profile = join(folder, 'profile')
      await mkdir(join(profile, 'user'), { recursive: true, mode: 0o700 })
      await writeFile(join(profile, 'user', 'registrymodifications.xcu'), settings)
      await copyFile(path, input)
      // Called within a turn of the renderer, which is fair to tenants.
      const install = dirname(dirname(realpathSync(program)))
      const enclosed = await sandbox.around({ program, install, write: [folder], folder })
      await turn(0, () => convert([...enclosed, program], { folder, profile, input, output, filter }))
      if (!(await stat(output).catch(() => undefined))) throw new NotPages(printed.pages_converter_failed())
      return { path: output, discard }
    } catch (error) {
      await discard()
      throw error
    }
  }

  return { toPdf }
}

interface Places {
  folder: string
  profile: string
  input: string
  output: string
  filter: string | undefined
}

function convert(command: string[], { folder, profile, input, output, filter }: Places): Promise<void> {
  const parameters = [
    `-env:UserInstallation=file://${profile}`,
    ...['--headless', '--norestore', '--nolockcheck', '--nodefault', '--nofirststartwizard'],
    ...(filter ? [`--infilter=${filter}`] : []),
    ...['--convert-to', 'pdf', '--outdir', dirname(output), input],
  ]
  const child = spawn(
    '/bin/sh',
    ['-c', `ulimit -v ${maxMemoryKb}; ulimit -c 0; exec "$@"`, 'sh', ...command, ...parameters],
    {
      cwd: folder,
      detached: true, // a process group of its own, which is ended as a whole
      stdio: 'ignore',
      env: {
        PATH: '/usr/bin:/bin',
        HOME: folder,
        TMPDIR: folder,
        LANG: 'C.UTF-8',
        // In the sandbox it finds its own libraries by this, because there is no /proc.
        ...(command.length > 1 && { LD_LIBRARY_PATH: dirname(realpathSync(command.at(-1)!)) }),
        SAL_USE_VCLPLUGIN: 'svp',
        http_proxy: 'http://127.0.0.1:9',
        https_proxy: 'http://127.0.0.1:9',
      },
    },
  )
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const endAll = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // the group has ended
    }
  }
  const late = setTimeout(() => {
    endAll()
    reject(new NotPages(printed.pages_converter_too_slow()))
  }, timeoutMs)
  child.once('error', () => reject(new NotPages(printed.pages_converter_not_started())))
  child.once('exit', () => resolve())
  return promise.finally(() => {
    clearTimeout(late)
    if (child.pid) endAll()
  })
}

// Takes the picture that README.md begins with, of the demo in a real browser:
//
//   npm run picture
//
// TEST_CHROMIUM names the browser where it is not /usr/bin/chromium.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { buildWeb } from './build-web.ts'

const root = resolve(import.meta.dirname, '..')
const picture = join(root, 'docs/pictures/review.png')
const document = 'Line clearance in packaging'

await buildWeb()
const data = mkdtempSync(join(tmpdir(), 'attest-picture-'))
const demo = spawn(process.execPath, ['src/main.ts', 'demo'], {
  cwd: root,
  env: { ...process.env, DATA_DIR: data, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(demo, 'exit')
try {
  await takePicture(await addressOf())
} finally {
  demo.kill('SIGINT')
  await ended
  rmSync(data, { recursive: true, force: true })
}

async function addressOf() {
  for await (const line of createInterface(demo.stdout)) {
    const [, address] = /^Log in at\s+(\S+)/.exec(line) ?? []
    if (address) return address
  }
  throw new Error('the demo ended without its address')
}

async function takePicture(address: string) {
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 760 },
      locale: 'en-GB',
      colorScheme: 'light',
    })
    await page.goto(address)
    await page.getByRole('button', { name: 'Jonas Weber' }).click()
    await page.getByRole('link', { name: document }).first().click()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await page.getByText('Before a batch is packaged').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.mouse.move(0, 0)
    assert.ok((await page.screenshot({ path: picture })).length > 0)
  } finally {
    await browser.close()
  }
}

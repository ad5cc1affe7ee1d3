// proves: DOC-03 (superseded and obsolete copies say so across the page), by pictures of the pages
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { degrees, PDFDocument, rgb, StandardFonts } from '@cantoo/pdf-lib'
import { ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
const folder = mkdtempSync(join(tmpdir(), 'attest-pictures-'))
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(async () => {
  rmSync(folder, { recursive: true })
  await world.close()
})

interface Picture {
  width: number
  height: number
  /** Red, green and blue of a place, in shares of width and height from the upper left corner. */
  at(x: number, y: number): [number, number, number]
}

const dots_per_inch = 100
/** A picture of each page. */
function picturesOf(pdf: Buffer, pages: number): Picture[] {
  const name = join(folder, 'page')
  writeFileSync(`${name}.pdf`, pdf)
  execFileSync(process.env.TEST_PDFTOPPM ?? 'pdftoppm', [
    '-r',
    String(dots_per_inch),
    '-l',
    String(pages),
    `${name}.pdf`,
    name,
  ])
  const digits = String(pages + 1).length
  return Array.from({ length: pages }, (_, at) => {
    const file = [digits, 1, 2, 3]
      .map(length => `${name}-${String(at + 1).padStart(length, '0')}.ppm`)
      .find(path => read(path))
    assert.ok(file, `no picture of page ${at + 1}`)
    return pictureOf(read(file)!)
  })
}

const read = (path: string) => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function pictureOf(bytes: Buffer): Picture {
  const [, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/
    .exec(bytes.subarray(0, 40).toString('latin1'))!
    .map(Number) as [number, number, number]
  const start = bytes.length - width * height * 3
  return {
    width,
    height,
    at(x, y) {
      const from = start + (Math.floor(y * (height - 1)) * width + Math.floor(x * (width - 1))) * 3
      return [bytes[from]!, bytes[from + 1]!, bytes[from + 2]!]
    },
  }
}

const isReddish = ([red, green, blue]: [number, number, number]) => red - green > 25 && red - blue > 25
const isDark = ([red, green, blue]: [number, number, number]) => red + green + blue < 400

/** The share of pixels of a kind in a part of a page. */
function share(
  { at }: Picture,
  is: (pixel: [number, number, number]) => boolean,
  [left, top, right, bottom]: [number, number, number, number],
) {
  const steps = 200
  let hits = 0
  for (let x = 0; x < steps; x++)
    for (let y = 0; y < steps; y++)
      if (is(at(left + ((right - left) * x) / steps, top + ((bottom - top) * y) / steps))) hits++
  return hits / (steps * steps)
}

const middle: [number, number, number, number] = [0.3, 0.3, 0.7, 0.7]

/** A4, landscape, turned, tiny, cropped: each with a blue bar along its own upper edge and a black one along its lower one. */
async function kindsOfPages() {
  const pdf = await PDFDocument.create()
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  const add = (width: number, height: number, turn = 0) => {
    const page = pdf.addPage([width, height])
    // Drawn so that it is upright once it is turned.
    const bar = Math.min(width, height) * 0.05
    const [blue, black] = [rgb(0, 0, 1), rgb(0, 0, 0)]
    if (turn === 90) {
      page.drawRectangle({ x: 0, y: 0, width: bar, height, color: blue })
      page.drawRectangle({ x: width - bar, y: 0, width: bar, height, color: black })
    } else {
      page.drawRectangle({ x: 0, y: height - bar, width, height: bar, color: blue })
      page.drawRectangle({ x: 0, y: 0, width, height: bar, color: black })
      page.drawText('The original', { font, size: 10, x: width * 0.1, y: height * 0.7 })
    }
    page.setRotation(degrees(turn))
    return page
  }
  add(595, 842)
  add(842, 595)
  add(595, 842, 90)
  add(150, 100)
  add(800, 800).setCropBox(100, 0, 600, 800)
  return Buffer.from(await pdf.save())
}

describe('a picture of a signed copy', () => {
  it('shows what is superseded across the middle of each page, whatever its size and turn, and what is effective without', async () => {
    const { id } = await paper.upload({}, { bytes: await kindsOfPages(), name: 'pages.pdf' })
    await paper.release(id)
    const copy = async (query = '') =>
      (await world.as('otto').get(`/api/documents/${id}/download?rendition=signed${query}`)).rawPayload
    for (const [at, picture] of picturesOf(await copy(), 6).entries())
      assert.equal(share(picture, isReddish, middle), 0, `page ${at + 1}, effective`)
    ok(await paper.addVersion(id))
    await paper.release(id)
    for (const [at, picture] of picturesOf(await copy('&version=1.0'), 6).entries()) {
      const found = share(picture, isReddish, middle)
      assert.ok(found > 0.08, `page ${at + 1}: ${found} of its middle`)
    }
  })

  it('shows the whole of the original between the bands, and its own words in them', async () => {
    const { id } = await paper.upload({}, { bytes: await kindsOfPages(), name: 'pages.pdf' })
    const copy = (await world.as('alan').get(`/api/documents/${id}/download?rendition=signed`)).rawPayload
    const isBlue = ([red, green, blue]: [number, number, number]) => blue > 200 && red < 80 && green < 80
    for (const [at, picture] of picturesOf(copy, 5).entries()) {
      const points = (picture.height / dots_per_inch) * 72
      const [head, foot] = [34 / points, 32 / points]
      const what = `page ${at + 1} of ${picture.width} x ${picture.height}`
      assert.ok(share(picture, isDark, [0, 0, 1, head]) > 0.01, `${what}: words above`)
      assert.ok(share(picture, isDark, [0, 1 - foot, 1, 1]) > 0.01, `${what}: words below`)
      assert.equal(share(picture, isBlue, [0, 0, 1, head]), 0, `${what}: nothing of the original above`)
      const inside = 3 / points
      // The bars of a page that is narrower than the bands stand in its middle.
      assert.ok(
        isBlue(picture.at(0.5, head + inside)),
        `${what}: the upper edge of the original ${String(picture.at(0.5, head + inside))}`,
      )
      assert.ok(isDark(picture.at(0.5, 1 - foot - inside)), `${what}: the lower edge of the original`)
    }
  })
})

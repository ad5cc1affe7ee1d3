import {
  concatTransformationMatrix,
  decodePDFRawStream,
  degrees,
  type PDFDict,
  type PDFDocument,
  type PDFFont,
  PDFName,
  PDFNumber,
  type PDFPage,
  PDFRawStream,
  PDFStream,
  rgb,
} from '@cantoo/pdf-lib'
import { printable } from './fonts.ts'
import { pageOf, type Stamp } from './job.ts'
import { type Box, visibleBox } from './page-box.ts'

const headHeight = 34
const footHeight = 32
const side = 14
/** On a narrower page the bands could not be read. */
const minWidth = 340
const ink = rgb(0.1, 0.1, 0.1)
const red = rgb(0.75, 0, 0)

interface Fonts {
  regular: PDFFont
  bold: PDFFont
}

/** A page in the orientation of its reader, from its lower left corner. */
interface Sheet {
  page: PDFPage
  fonts: Fonts
  width: number
  height: number
}

export function stampPages(pdf: PDFDocument, fonts: Fonts, stamp: Stamp) {
  const pages = pdf.getPages()
  for (const [at, page] of pages.entries()) {
    const sheet = { ...growPage(pdf, page), fonts }
    writeBands(sheet, stamp, pageOf(stamp.page_of, at + 1, pages.length))
    if (stamp.across) writeAcross(sheet, stamp.across)
  }
}

/**
 * Adds room for the bands above and below the visible part of a page. The content of the page becomes a form XObject, so that a state that
 * it leaves behind, such as a rotation or a clipping path, does not affect the bands.
 */
function growPage(pdf: PDFDocument, page: PDFPage): Omit<Sheet, 'fonts'> {
  const { context } = pdf
  const { node } = page
  const seen = visibleBox(page)
  const turn = (((Math.round(page.getRotation().angle / 90) * 90) % 360) + 360) % 360
  const unit = userUnit(node)
  const original = originalAsForm(page, seen)

  const isSideways = turn % 180 !== 0
  const across = isSideways ? seen.top - seen.bottom : seen.right - seen.left
  const down = isSideways ? seen.right - seen.left : seen.top - seen.bottom
  const extra = Math.max(0, minWidth / unit - across) / 2
  const [head, foot] = [headHeight / unit, footHeight / unit]
  const grown = growBox(seen, turn, { left: extra, right: extra, top: head, bottom: foot })
  const box = context.obj([grown.left, grown.bottom, grown.right, grown.top])
  node.set(PDFName.of('MediaBox'), box)
  for (const name of ['CropBox', 'BleedBox', 'TrimBox', 'ArtBox', 'AA', 'Group', 'B', 'Thumb'])
    node.delete(PDFName.of(name))
  node.set(PDFName.of('Rotate'), PDFNumber.of(turn))
  node.set(PDFName.of('Resources'), context.obj({ XObject: original ? { Original: original } : {} }))
  const show = original ? 'q /Original Do Q' : ''
  node.set(PDFName.of('Contents'), context.register(context.stream(show)))

  const angle = (turn * Math.PI) / 180
  const [cos, sin] = [Math.round(Math.cos(angle)) * 1, Math.round(Math.sin(angle)) * 1]
  const origin: Record<number, [number, number]> = {
    0: [grown.left, grown.bottom],
    90: [grown.right, grown.bottom],
    180: [grown.right, grown.top],
    270: [grown.left, grown.top],
  }
  const [x, y] = origin[turn]!
  page.pushOperators(concatTransformationMatrix(cos / unit, sin / unit, -sin / unit, cos / unit, x, y))
  return { page, width: (across + 2 * extra) * unit, height: (down + head + foot) * unit }
}

/** Extends the sides of a page in the orientation of its reader. */
function growBox({ left, bottom, right, top }: Box, turn: number, by: Box): Box {
  const turned: Record<number, Box> = {
    0: by,
    90: { left: by.top, bottom: by.left, right: by.bottom, top: by.right },
    180: { left: by.right, bottom: by.top, right: by.left, top: by.bottom },
    270: { left: by.bottom, bottom: by.right, right: by.top, top: by.left },
  }
  const more = turned[turn]!
  return { left: left - more.left, bottom: bottom - more.bottom, right: right + more.right, top: top + more.top }
}

/** The length of the page's unit in points. */
function userUnit(node: PDFDict) {
  const unit = node.lookup(PDFName.of('UserUnit'))
  return unit instanceof PDFNumber && unit.asNumber() >= 0.1 && unit.asNumber() <= 75_000 ? unit.asNumber() : 1
}

function originalAsForm({ node, doc: { context } }: PDFPage, { left, bottom, right, top }: Box) {
  const contents = node.Contents()
  if (!contents) return
  const Resources = node.Resources() ?? context.obj({})
  const Group = node.get(PDFName.of('Group'))
  const form = {
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [left, bottom, right, top],
    Resources,
    ...(Group && { Group }),
  }
  if (contents instanceof PDFRawStream) {
    const dict = context.obj(form)
    for (const name of ['Filter', 'DecodeParms', 'FFilter', 'F']) {
      const value = contents.dict.get(PDFName.of(name))
      if (value) dict.set(PDFName.of(name), value)
    }
    return context.register(PDFRawStream.of(dict, contents.contents))
  }
  const parts: Uint8Array[] = []
  const streams = contents instanceof PDFStream ? [contents] : contents.asArray().map(each => context.lookup(each))
  for (const stream of streams) {
    if (stream instanceof PDFRawStream) parts.push(decodePDFRawStream(stream).decode(), Uint8Array.of(10))
    else if (stream instanceof PDFStream) parts.push(stream.getContents(), Uint8Array.of(10))
  }
  return context.register(context.flateStream(Buffer.concat(parts), form))
}

function writeBands({ page, fonts, width, height }: Sheet, { head, foot }: Stamp, number: string) {
  const line = (text: string, size: number, font: keyof Fonts, y: number, place: Place) =>
    writeLine({ page, fonts, width, height }, text, { size, font, y, ...place })
  const room = width - 2 * side
  page.drawRectangle({ x: 0, y: height - headHeight, width, height: headHeight, color: rgb(1, 1, 1) })
  page.drawRectangle({ x: 0, y: 0, width, height: footHeight, color: rgb(1, 1, 1) })
  for (const y of [height - headHeight, footHeight])
    page.drawLine({ start: { x: 0, y }, end: { x: width, y }, thickness: 0.5, color: rgb(0.55, 0.55, 0.55) })
  const top = height - 14
  line(head.left, 9, 'bold', top, { x: side, room: room * 0.42 })
  line(head.right, 9, 'bold', top, { x: width - side, room: room * 0.55, isRight: true })
  line(head.below, 8, 'regular', height - 27, { x: side, room })
  line(foot.first, 7.5, 'regular', 19, { x: side, room })
  line(foot.last, 7.5, 'regular', 8, { x: side, room: room * 0.7 })
  line(number, 7.5, 'regular', 8, { x: width - side, room: room * 0.28, isRight: true })
}

interface Place {
  x: number
  room: number
  isRight?: boolean
}

const smallest = 0.75

/** Fits a text on one line: with smaller letters first, and then cut with an ellipsis. */
function writeLine(
  { page, fonts }: Sheet,
  text: string,
  { x, y, size, font, room, isRight = false }: Place & { y: number; size: number; font: keyof Fonts },
) {
  const face = fonts[font]
  let shown = printable(text, font)
  const least = size * smallest
  if (face.widthOfTextAtSize(shown, least) > room) {
    const characters = Array.from(shown)
    let [fits, cuts] = [0, characters.length]
    while (fits + 1 < cuts) {
      const middle = Math.floor((fits + cuts) / 2)
      const width = face.widthOfTextAtSize(`${characters.slice(0, middle).join('')}…`, least)
      if (width > room) cuts = middle
      else fits = middle
    }
    shown = `${characters.slice(0, fits).join('').trimEnd()}…`
  }
  const wide = face.widthOfTextAtSize(shown, size)
  const taken = wide > room ? Math.max(least, (size * room) / wide) : size
  const from = isRight ? x - face.widthOfTextAtSize(shown, taken) : x
  page.drawText(shown, { x: from, y, size: taken, font: face, color: ink })
}

/** From corner to corner, so that no part of the page can be copied without it, and the text below stays legible. */
function writeAcross({ page, fonts: { bold }, width, height }: Sheet, text: string) {
  const shown = printable(text, 'bold')
  const slope = Math.atan2(height, width)
  const room = Math.hypot(width, height) * 0.72
  const size = Math.min(room / bold.widthOfTextAtSize(shown, 1), Math.min(width, height) * 0.32)
  const length = bold.widthOfTextAtSize(shown, size)
  // Letters are about 0.73 of their size high, half of which is on either side of the diagonal.
  const [along, above] = [-length / 2, -size * 0.365]
  page.drawText(shown, {
    x: width / 2 + along * Math.cos(slope) - above * Math.sin(slope),
    y: height / 2 + along * Math.sin(slope) + above * Math.cos(slope),
    size,
    font: bold,
    color: red,
    opacity: 0.28,
    rotate: degrees((slope * 180) / Math.PI),
  })
}

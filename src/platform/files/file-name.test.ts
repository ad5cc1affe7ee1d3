import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'content-disposition'
import fc from 'fast-check'
import { cleanFileName, dispositionOf } from './file-name.ts'

describe('a file name', () => {
  const cases: Record<string, [string, string]> = {
    'keeps an ordinary name': ['SOP-0001 Cleaning (v2).pdf', 'SOP-0001 Cleaning (v2).pdf'],
    'keeps the letters of every language': ['Prüfanweisung 検査 😀.docx', 'Prüfanweisung 検査 😀.docx'],
    'loses its folders': ['../../etc/passwd.txt', 'passwd.txt'],
    'loses the folders of Windows': ['C:\\Users\\ada\\sop.pdf', 'sop.pdf'],
    'loses control characters and line ends': ['a\r\nSet-Cookie: x\0\x7f\u0085\u2028.pdf', 'aSet-Cookie: x.pdf'],
    'loses what turns the direction of writing': ['invoice\u202Efdp.exe\u2066\u200F', 'invoicefdp.exe'],
    'is never empty': ['', 'file'],
    'is never a folder': ['a/..', 'file'],
    'is something else than blanks': [' \t\n ', 'file'],
    'is no device of Windows': ['con.pdf', '_con.pdf'],
    'may begin as a device of Windows': ['Console.pdf', 'Console.pdf'],
    'has its letters composed': ['e\u0301.pdf', '\u00e9.pdf'],
    'has no half characters': ['a\ud800.pdf', 'a\ufffd.pdf'],
  }
  for (const [title, [sent, kept]] of Object.entries(cases)) it(title, () => assert.equal(cleanFileName(sent), kept))

  it('is cut to 255 bytes between two characters, and keeps its ending', () => {
    const cleaned = cleanFileName('検'.repeat(200) + '.pdf')
    assert.equal(cleaned, '検'.repeat(83) + '.pdf')
    assert.equal(cleanFileName('a'.repeat(254) + '😀'), 'a'.repeat(254))
    assert.equal(cleanFileName('.' + 'a'.repeat(400)).length, 255)
  })

  it('is safe whatever was sent, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), name => {
        const clean = cleanFileName(name)
        const bytes = Buffer.byteLength(clean)
        assert.ok(bytes > 0 && bytes <= 255)
        assert.ok(clean.isWellFormed() && !/[/\\\p{Cc}\u202A-\u202E]/u.test(clean) && !/^\.*$/.test(clean))
        assert.equal(cleanFileName(clean), clean)
      }),
    )
  })
})

describe('the header of a download (proves: DOC-03)', () => {
  it('names the file as an attachment, in every language', () => {
    assert.equal(dispositionOf('sop.pdf'), 'attachment; filename=sop.pdf')
    assert.equal(parse(dispositionOf('Prüfanweisung 検査.docx')).parameters.filename, 'Prüfanweisung 検査.docx')
  })

  it('is one header line of ASCII whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), name => {
        const header = dispositionOf(name)
        assert.match(header, /^attachment; filename[\x20-\x7e]+$/)
        assert.equal(parse(header).parameters.filename, cleanFileName(name))
      }),
    )
  })

  it('does not let a name add a parameter', () => {
    const { type, parameters } = parse(dispositionOf('a"; filename="b.html'))
    assert.equal(type, 'attachment')
    assert.deepEqual({ ...parameters }, { filename: 'a"; filename="b.html' })
  })
})

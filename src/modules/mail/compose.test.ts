import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compose } from './compose.ts'
import type { Letter } from './queries.ts'

const one = (more: Partial<Letter['notifications'][number]> = {}): Letter['notifications'][number] => ({
  id: 7,
  title: 'SOP-0004 awaits your decision',
  message: 'Alan Example asks for it. It is due on 2026-03-05.',
  priority: 'high',
  is_read: false,
  page: '/documents/4',
  code: null,
  params: {},
  ...more,
})
const letter = (notifications: Letter['notifications'], more: Partial<Letter> = {}): Letter => ({
  id: 1,
  user_id: 2,
  kind: 'notification',
  notification_ids: notifications.map(({ id }) => id),
  message_id: '<1@qms.example>',
  status: 'queued',
  attempts: 0,
  password_link_id: null,
  created_at: '2026-03-01T08:30:00.000Z',
  email: 'quinn@example.com',
  username: 'quinn',
  full_name: 'Quinn Example',
  tenant: 'Acme',
  language: 'en',
  is_reachable: true,
  notifications,
  ...more,
})
const page = 'https://qms.example'
const footer = 'Acme, Attest, to Quinn Example. You choose your e-mails in your notification preferences.'

describe('a message about one notification', () => {
  it('says what the notification says and where its record is, and nothing beside it', () => {
    const { html, ...rest } = compose(letter([one()]), page)
    assert.deepEqual(rest, {
      message_id: '<1@qms.example>',
      date: '2026-03-01T08:30:00.000Z',
      to: { name: 'Quinn Example', address: 'quinn@example.com' },
      subject: 'SOP-0004 awaits your decision',
      text: `SOP-0004 awaits your decision

Alan Example asks for it. It is due on 2026-03-05.

https://qms.example/documents/4

-- \n${footer}\n`,
      isUrgent: false,
    })
    assert.ok(html.includes('<h1>SOP-0004 awaits your decision</h1><p>Alan Example asks for it.'))
    assert.ok(html.includes('<a href="https://qms.example/documents/4">https://qms.example/documents/4</a>'))
    assert.ok(html.includes(footer))
  })

  it('holds no link where there are no pages, or none of its record', () => {
    for (const { text, html } of [compose(letter([one()]), undefined), compose(letter([one({ page: null })]), page)])
      assert.ok(!/https?:/.test(text + html))
  })

  it('is marked as urgent where its notification is, and by no other', () => {
    assert.equal(compose(letter([one({ priority: 'urgent' })]), page).isUrgent, true)
    assert.equal(compose(letter([one({ priority: 'urgent' })], { kind: 'digest' }), page).isUrgent, false)
  })

  it('shows markup that somebody typed, and lets none of it act', () => {
    const typed = `<script>alert("1")</script><img src=x onerror='x()'>&amp;`
    const { html, text, subject } = compose(
      letter([one({ title: typed, message: typed })], { tenant: typed, full_name: typed }),
      page,
    )
    assert.ok(!/<script|<img|onerror='/.test(html))
    assert.equal(
      html.split('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=&#39;x()&#39;&gt;&amp;amp;')
        .length,
      6,
      'in the title of the page, the heading, the text and twice at the end',
    )
    assert.ok(text.includes(typed))
    assert.equal(subject, typed)
  })

  it('has a subject of one line that is not too long and breaks no character', () => {
    const subjectOf = (title: string) => compose(letter([one({ title })]), page).subject
    assert.equal(
      subjectOf('First\r\nBcc: eve@example.com\u2028and\u0000 more\t'),
      'First Bcc: eve@example.com and more',
    )
    assert.equal(subjectOf('🧪'.repeat(500)), `${'🧪'.repeat(199)}…`)
    assert.equal(subjectOf('x'.repeat(200)), 'x'.repeat(200))
  })
})

describe('a digest', () => {
  const many = (count: number, priority: string) =>
    Array.from({ length: count }, (_, index) => one({ id: index, title: `${priority} ${index}.`, priority }))

  it('lists what there is by its priority, the urgent first', () => {
    const { subject, text, html } = compose(
      letter([...many(1, 'low'), ...many(2, 'high'), ...many(1, 'urgent')], { kind: 'digest' }),
      page,
    )
    assert.equal(subject, '4 notifications, 1 of them urgent')
    for (const content of [text, html])
      assert.deepEqual(content.match(/Urgent|(High|Low) priority|(urgent|high|low) \d/g), [
        ...['Urgent', 'urgent 0', 'High priority', 'high 0', 'high 1', 'Low priority', 'low 0'],
      ])
    assert.equal(text.match(/https:\/\/qms\.example\/documents\/4/g)!.length, 4)
    assert.equal(compose(letter(many(1, 'low'), { kind: 'digest' }), page).subject, '1 notification')
  })

  it('of thousands is cut at a hundred, and says how many there are', () => {
    const { subject, text, html } = compose(
      letter([...many(3000, 'low'), ...many(2, 'urgent')], { kind: 'digest' }),
      page,
    )
    assert.equal(subject, '3002 notifications, 2 of them urgent')
    for (const content of [text, html]) {
      assert.equal(content.match(/(low|urgent) \d+\./g)!.length, 100)
      assert.ok(content.includes('And 2902 more, which you find in your notifications.'))
    }
    assert.ok(html.length < 60_000)
  })
})

import { Fragment, type ReactNode } from 'react'
import styles from './markdown.module.css'
import { type Block, blocksOf, type Inline } from './markdown-blocks.ts'

/** Markdown as it reads. The levels of its headings begin at `level`, so that they stand below those of the page. */
export function Markdown({ text, level = 3 }: { text: string; level?: number }) {
  return <div className={styles.text}>{blocksOf(text).map((block, index) => showBlock(block, index, level))}</div>
}

function showBlock(block: Block, key: number, level: number): ReactNode {
  switch (block.kind) {
    case 'heading': {
      const Heading = `h${Math.min(block.level + level - 1, 6)}` as 'h3'
      return (
        <Heading key={key} data-level={block.level}>
          <Inlines of={block.children} />
        </Heading>
      )
    }
    case 'paragraph':
      return (
        <p key={key}>
          <Inlines of={block.children} />
        </p>
      )
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul'
      return (
        <List key={key} {...(block.isOrdered && { start: block.start })}>
          {block.items.map((each, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text that is read has no other keys, and its parts do not move
            <li key={index}>
              <Inlines of={each} />
            </li>
          ))}
        </List>
      )
    }
    case 'table':
      return (
        <div key={key} className={styles.wide}>
          <table>
            <thead>
              <tr>{block.head.map((cell, index) => showCell(cell, index, 'th'))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <tr key={index}>{row.map((cell, at) => showCell(cell, at, 'td'))}</tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case 'quote':
      return <blockquote key={key}>{block.children.map((each, index) => showBlock(each, index, level))}</blockquote>
    case 'rule':
      return <hr key={key} />
  }
}

const showCell = (cell: Inline[], key: number, Cell: 'th' | 'td') => (
  <Cell key={key}>
    <Inlines of={cell} />
  </Cell>
)

function Inlines({ of: inlines }: { of: Inline[] }): ReactNode {
  return inlines.map((each, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    if (each.kind === 'text') return <Fragment key={index}>{each.text}</Fragment>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    if (each.kind === 'break') return <br key={index} />
    const Element = ({ strong: 'strong', emphasis: 'em', code: 'code' } as const)[each.kind]
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Element key={index}>
        <Inlines of={each.children} />
      </Element>
    )
  })
}

import Library, { RuleType } from 'markdown-to-jsx'
import type { ReactNode } from 'react'
import styles from './markdown.module.css'

interface Props {
  text: string
  /** That of its first headings, which stand below those of the page. */
  level?: number
  /** For what text says by itself, such as the number of a source. */
  showText?: (text: string) => ReactNode
}

/** Markdown as it reads. Nothing in it leads anywhere, loads anything or is HTML. */
export function Markdown({ text, level = 3, showText = text => text }: Props) {
  return (
    <Library
      className={styles.text}
      options={{
        forceBlock: true,
        disableParsingRawHTML: true,
        overrides: {
          a: ({ children }: { children: ReactNode }) => children,
          img: ({ alt }: { alt?: string }) => alt,
          table: ({ children }: { children: ReactNode }) => (
            <div className={styles.wide}>
              <table>{children}</table>
            </div>
          ),
        },
        renderRule(next, node, children, state) {
          if (node.type === RuleType.text) return showText(node.text)
          if (node.type !== RuleType.heading) return next()
          const Heading = `h${Math.min(node.level + level - 1, 6)}` as 'h3'
          return (
            <Heading key={state.key} data-level={node.level}>
              {children(node.children, state)}
            </Heading>
          )
        },
      }}
    >
      {text}
    </Library>
  )
}

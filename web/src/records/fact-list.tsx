import type { ReactNode } from 'react'
import styles from './fact-list.module.css'

/** Its name and what it is; without a value it is left out. */
export type Fact = [string, ReactNode]

export const FactList = ({ facts }: { facts: Fact[] }) => (
  <dl className={styles.facts}>
    {facts.map(
      ([name, value]) =>
        value && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

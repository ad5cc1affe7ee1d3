import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { CircleUser, Languages, LogOut, Moon, Search, Sun, SunMoon } from 'lucide-react'
import { Button as AriaButton, type Key } from 'react-aria-components'
import { ask } from '../api/queries.ts'
import { openPalette, Palette } from '../features/commands/palette.tsx'
import { SeriesBar } from '../features/series/series-bar.tsx'
import { logOut, useMe } from '../features/session/session.ts'
import { SessionOver } from '../features/session/session-over.tsx'
import { Menu, MenuChoice, MenuGroup, MenuItem } from '../ui/menu.tsx'
import { Initials, nameOf } from '../ui/person.tsx'
import { useWords } from '../words/index.ts'
import { areasOf } from './areas.ts'
import { Brand } from './brand.tsx'
import { ChangedBar } from './changed-bar.tsx'
import { useNews } from './news.ts'
import { paths } from './paths.ts'
import { useKeptPreferences, usePreferences } from './preferences.ts'
import styles from './shell.module.css'
import { type Theme, themes } from './theme.ts'

const themeIcons = { system: SunMoon, light: Sun, dark: Moon }

export function Shell() {
  const { shell: w } = useWords()
  const { permissions, tenant } = useMe()
  useNews()
  useKeptPreferences()
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {w.skip}
      </a>
      <aside className={styles.side} data-print="none">
        <div className={styles.top}>
          <Brand />
          <span className={styles.tenant}>{tenant?.name}</span>
        </div>
        <AriaButton className={styles.find!} aria-keyshortcuts="Control+K Meta+K" onPress={openPalette}>
          <Search size={15} aria-hidden="true" />
          <span>{w.find}</span>
          <kbd>{/Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
        </AriaButton>
        <nav aria-label={w.main}>
          {areasOf(permissions).map(group => (
            <ul key={group[0]!.name}>
              {group.map(({ name, path, icon: Icon }) => (
                <li key={name}>
                  <Link to={path} activeOptions={{ exact: path === '/', includeSearch: false }} title={w.areas[name]}>
                    <Icon size={16} aria-hidden="true" />
                    <span>{w.areas[name]}</span>
                    {name === 'work' && <Waiting />}
                    {name === 'notifications' && <Unread />}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
        </nav>
        <Account />
      </aside>
      <main id="content" tabIndex={-1} className={styles.content}>
        <SeriesBar />
        <ChangedBar />
        <Outlet />
      </main>
      <Palette />
      <SessionOver />
    </div>
  )
}

/** How many decisions wait. */
function Waiting() {
  const { shell: w } = useWords()
  const { data } = useQuery(ask('GET /api/dashboard/pending-approvals', { query: { limit: 50 } }))
  if (!data) return null
  const { overdue, ...counts } = data.counts
  const count = Object.values(counts).reduce((sum, each) => sum + each, 0)
  return <Count of={count}>{w.waiting(count)}</Count>
}

/** How many notifications are unread, as `useNews` is told. */
function Unread() {
  const { notifications: w } = useWords()
  const { data } = useQuery(ask('GET /api/notifications/unread-count', {}))
  return <Count of={data?.unread ?? 0}>{w.waiting(data?.unread ?? 0)}</Count>
}

function Count({ of: count, children }: { of: number; children: string }) {
  if (count === 0) return null
  return (
    <span className={styles.count}>
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="visually-hidden">{children}</span>
    </span>
  )
}

function Account() {
  const { shell: w, session } = useWords()
  const user = useMe()
  const { theme, language, prefer } = usePreferences()
  const navigate = useNavigate()
  return (
    <Menu
      label={w.account}
      trigger={
        <AriaButton className={styles.account!}>
          <Initials name={nameOf(user)} />
          <span className={styles.who}>
            <b>{nameOf(user)}</b>
            <span>{user.role}</span>
          </span>
          <span className="visually-hidden">{w.account}</span>
        </AriaButton>
      }
    >
      <MenuItem icon={CircleUser} name={w.account} onAction={() => void navigate({ to: paths.account })} />
      <MenuGroup title={w.appearance} chosen={theme} onChoose={(chosen: Key) => prefer({ theme: chosen as Theme })}>
        {themes.map(each => {
          const Icon = themeIcons[each]
          return <MenuChoice key={each} id={each} icon={Icon} name={w.theme[each]} />
        })}
      </MenuGroup>
      <MenuItem
        icon={Languages}
        name={w.language}
        onAction={() => prefer({ language: language === 'de' ? 'en' : 'de' })}
      />
      <MenuItem icon={LogOut} name={session.logOut} onAction={() => void logOut()} />
    </Menu>
  )
}

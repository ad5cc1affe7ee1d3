import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { useMe } from '../session/session.ts'
import styles from './training-nav.module.css'
import { useTrainingWords } from './words.ts'

/** The pages of this area. Who only does their own training has nothing to choose from. */
export function TrainingNav() {
  const { areas: w } = useTrainingWords()
  const { permissions } = useMe()
  const may = (...any: string[]) => any.some(each => permissions.includes(each))
  const places = [
    { path: paths.training, name: w.mine, isShown: true },
    { path: paths.trainingAssignments, name: w.assignments, isShown: may('training.read_all') },
    { path: paths.trainingMatrix, name: w.matrix, isShown: may('training.read_all') },
    {
      path: paths.trainingPrograms,
      name: w.programs,
      isShown: may('training.read_all', 'training.assign', 'training.manage'),
    },
    { path: paths.curricula, name: w.curricula, isShown: may('training.read_all', 'training.manage') },
  ].filter(({ isShown }) => isShown)
  if (places.length === 1) return null
  return (
    <nav className={styles.nav} aria-label={w.label} data-print="none">
      <ul>
        {places.map(({ path, name }) => (
          <li key={path}>
            <Link to={path} activeOptions={{ exact: true, includeSearch: false }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import {
  assignmentsSearch,
  curriculaSearch,
  matrixSearch,
  programsSearch,
  recordSearch,
} from '../../features/training/searches.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { app, idInPath } from './root.tsx'

const training = createRoute({
  getParentRoute: () => app,
  path: paths.training,
  component: lazyRouteComponent(() => import('../../features/training/my-training-page.tsx'), 'MyTrainingPage'),
})

const trainingProgram = createRoute({
  getParentRoute: () => app,
  path: paths.trainingProgram,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/training/training-page.tsx'), 'TrainingPage'),
})

const trainingRecord = createRoute({
  getParentRoute: () => app,
  path: paths.trainingRecord,
  params: {
    parse: ({ user_id }) => ({ user_id: Number(user_id) }),
    stringify: ({ user_id }) => ({ user_id: String(user_id) }),
  },
  validateSearch: strictly(recordSearch),
  component: lazyRouteComponent(() => import('../../features/training/record-page.tsx'), 'RecordPage'),
})

const trainingAssignments = createRoute({
  getParentRoute: () => app,
  path: paths.trainingAssignments,
  validateSearch: strictly(assignmentsSearch),
  component: lazyRouteComponent(() => import('../../features/training/assignments-page.tsx'), 'AssignmentsPage'),
})

const trainingAssignment = createRoute({
  getParentRoute: () => app,
  path: paths.trainingAssignment,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/training/assignment-page.tsx'), 'AssignmentPage'),
})

const trainingPrograms = createRoute({
  getParentRoute: () => app,
  path: paths.trainingPrograms,
  validateSearch: strictly(programsSearch),
  component: lazyRouteComponent(() => import('../../features/training/programs-page.tsx'), 'ProgramsPage'),
})

const newProgram = createRoute({
  getParentRoute: () => app,
  path: paths.newProgram,
  component: lazyRouteComponent(() => import('../../features/training/program-page.tsx'), 'NewProgramPage'),
})

const programEditor = createRoute({
  getParentRoute: () => app,
  path: paths.programEditor,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/training/program-page.tsx'), 'ProgramPage'),
})

const curricula = createRoute({
  getParentRoute: () => app,
  path: paths.curricula,
  validateSearch: strictly(curriculaSearch),
  component: lazyRouteComponent(() => import('../../features/training/curricula-page.tsx'), 'CurriculaPage'),
})

const newCurriculum = createRoute({
  getParentRoute: () => app,
  path: paths.newCurriculum,
  component: lazyRouteComponent(() => import('../../features/training/curriculum-page.tsx'), 'NewCurriculumPage'),
})

const curriculum = createRoute({
  getParentRoute: () => app,
  path: paths.curriculum,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/training/curriculum-page.tsx'), 'CurriculumPage'),
})

const trainingMatrix = createRoute({
  getParentRoute: () => app,
  path: paths.trainingMatrix,
  validateSearch: strictly(matrixSearch),
  component: lazyRouteComponent(() => import('../../features/training/matrix-page.tsx'), 'MatrixPage'),
})

export const trainingRoutes = [
  training,
  trainingProgram,
  trainingRecord,
  trainingAssignments,
  trainingAssignment,
  trainingPrograms,
  newProgram,
  programEditor,
  curricula,
  newCurriculum,
  curriculum,
  trainingMatrix,
]

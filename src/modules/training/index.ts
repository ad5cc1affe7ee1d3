export { signedTraining } from './subject.ts'

export { compileOwnPattern, type OwnPattern, UnusablePattern } from './own-pattern.ts'
export { redact } from './redact.ts'

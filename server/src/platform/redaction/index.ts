export { compileOwnPattern, UnusablePattern } from './own-pattern.ts'
export { redact } from './redact.ts'

export { type Redacted, redact } from './redact.ts'

// The platform's own detectors, which the build copies into the package. Not its `index.ts`, which also supports custom patterns, and
// therefore needs RE2.
export { redact } from '../../../server/src/platform/redaction/redact.ts'

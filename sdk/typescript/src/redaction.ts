// The platform's own detectors: the build puts them into the package. Not its `index.ts`, which also has patterns of one's own,
// and with them RE2.
export { redact } from '../../../server/src/platform/redaction/redact.ts'

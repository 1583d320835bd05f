// The platform's own detectors: the build puts them into the package.
export { redact } from '../../../server/src/platform/redaction/index.ts'

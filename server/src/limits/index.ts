export type { LimitConfig } from './instance-limits.ts'
export { openLimits } from './limits.ts'

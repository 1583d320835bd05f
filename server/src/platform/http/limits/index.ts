export { Gcra, type Quota } from './gcra.ts'
export { createRateLimiter, type Quotas, type RateLimiter } from './rate-limiter.ts'

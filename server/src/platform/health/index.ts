export { createHealth } from './health.ts'
export { createMetrics, type Figure, type Metrics } from './metrics.ts'

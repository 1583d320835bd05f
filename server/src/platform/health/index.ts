export { createHealth } from './health.ts'
export { createMetrics, type Figure } from './metrics.ts'
export { metricsOfProcesses } from './metrics-of-processes.ts'

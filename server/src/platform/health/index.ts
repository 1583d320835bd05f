export { type EventLoop, watchEventLoop } from './event-loop.ts'
export { createHealth } from './health.ts'
export { createMetrics, type Figure } from './metrics.ts'
export { metricsOfProcesses } from './metrics-of-processes.ts'

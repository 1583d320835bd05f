export { type EventLoop, watchEventLoop } from './event-loop.ts'
export { createHealth } from './health.ts'
export { createMetrics, type Figure, metricsOfProcesses } from './metrics.ts'

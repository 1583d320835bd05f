export { type BusAddress, openBus } from './bus.ts'
export { describeWorkers, superviseWorkers, type Workers, workerFigures } from './supervise-workers.ts'
export { createForwarder, openProgramsOfPrimary } from './to-primary.ts'

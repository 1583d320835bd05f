export { enqueueJob } from './open-jobs.ts'
export type { JobOptions, Jobs, RunningJob } from './job.ts'
export { type OpenJobs, openJobs } from './open-jobs.ts'

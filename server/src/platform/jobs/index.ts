export type { JobOptions, Jobs, RunningJob } from './job.ts'
export { enqueueJob, openJobs } from './open-jobs.ts'

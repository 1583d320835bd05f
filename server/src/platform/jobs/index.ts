export type { JobOptions, Jobs, RunningJob } from './job.ts'
export { enqueueJob, type OpenJobs, openJobs } from './open-jobs.ts'

export {
	type JobHandler,
	type JobOptions,
	type Jobs,
	LeaseLost,
	type NewJob,
	type RunningJob,
} from './job.ts'
export { type OpenJobs, openJobs } from './open-jobs.ts'
export { backOff, withJitter } from './retry.ts'

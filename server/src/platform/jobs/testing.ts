import { ChangeFeed } from '../changes.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { ControlStore } from '../database/database.ts'
import { silentLog } from '../log.ts'
import { createMutate, type Mutate } from '../mutation.ts'
import { type OpenJobs, openJobs } from './open-jobs.ts'

export interface TestRunner {
	jobs: OpenJobs
	mutate: Mutate
}

/** A runner on a store; several runners on one store act as several processes. */
export function openTestRunner(store: ControlStore, clock: Clock = systemClock): TestRunner {
	const mutate = createMutate(store, new ChangeFeed(store, silentLog, clock))
	return { jobs: openJobs({ store, mutate, clock, log: silentLog }), mutate }
}

/** Polls until a background job has had its effect; throws after 10 s. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
	for (let turn = 0; turn < 500; turn += 1) {
		if (await isSo()) return
		await new Promise((done) => setTimeout(done, 20))
	}
	throw new Error('It did not happen within 10 s.')
}

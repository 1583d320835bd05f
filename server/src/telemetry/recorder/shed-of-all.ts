import { type Processes, processGone } from '../../platform/processes/index.ts'
import type { LogRecorder, LogSubject } from './recorder.ts'

const askShed = 'recorder.shed'
/** The engine takes what lies in a log within a second or so; what does not go then is tried again later. */
const waitMs = 5000

export interface ShedDependencies {
	recorder: Pick<LogRecorder, 'shedSubject'>
	feed: { catchUp(): Promise<void> }
	processes: Processes
}

/**
 * `LogRecorder.shedSubject` for the logs of all processes, `count` in all, each of which has seen every change of before then.
 * Rejects with Problem `store_unavailable` while one of them does not answer.
 */
export function openShedOfAll(
	{ recorder, feed, processes }: ShedDependencies,
	count: number,
): (subject: LogSubject) => Promise<boolean> {
	const shed = async (subject: LogSubject) => {
		await feed.catchUp()
		return recorder.shedSubject(subject, waitMs)
	}
	processes.answer(askShed, shed)
	return async (subject) => {
		const others = processes.others()
		if (others.length < count - 1) throw processGone()
		const asked = others.map((number) => processes.ask<boolean>(number, askShed, subject))
		return (await Promise.all([shed(subject), ...asked])).every((isGone) => isGone)
	}
}

import type { ChangeFeed } from '../platform/changes.ts'
import type { Log } from '../platform/log.ts'
import type { Processes } from '../platform/processes/index.ts'

const changed = 'changed'

/**
 * Lets every process look at the change feed as soon as one has committed a change, before the next poll would. Returns what
 * tells the others.
 */
export function shareChanges(feed: ChangeFeed, processes: Processes, log: Log): () => void {
	processes.answer(changed, () =>
		feed
			.catchUp()
			.catch((error: unknown) => log.warn({ err: error }, 'views: cannot read changes of another process')),
	)
	return () => processes.tell('all', changed)
}
